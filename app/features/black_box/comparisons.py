"""Similarity to other translations of the source, and of the source to its back-translation."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.needs import PartNeed
from app.features.overlap_kernel import clipped_matches, smoothed_precision
from app.features.plans.formulas import part
from app.features.view import View
from app.metrics import metric_named
from app.text.batch import TokenColumn, pack_tokens
from app.text.side_information.kinds import BACK_TRANSLATIONS, PSEUDO_REFERENCES
from app.text.tokenisation import tokeniser_for

__all__ = ["COMPARISONS", "lower_texts", "metric_scores", "precision_against"]

COMPARISONS: Final = FeatureGroup("Pseudo-references and back-translation", "Soricut and Echihabi 2010; Shah et al. 2013")
# Name of the feature, metric, words of the description.
METRICS: Final = (
    ("chrf", "chrf", "chrF"),
    ("bleu", "bleu|eff:yes|smooth:exp", "sentence BLEU"),
    ("ter", "ter", "TER"),
    ("simpbleu", "simpbleu:RABC2", "SIMPBLEU RABC2"),
)


def metric_scores(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float64s:
    """Score of each hypothesis against its own reference."""
    metric = metric_named(name)
    return metric.segment_scores(metric.prepare([references]).statistics(hypotheses))


def precision_against(column: TokenColumn, rows: Int64s, reference: TokenColumn) -> Float64s:
    """λ-smoothed n-gram precision of segment ``rows[k]`` of `column` against segment k of `reference`."""
    counts = clipped_matches(
        column.hashes[column.ids],
        column.offsets[:-1][rows],
        column.offsets[1:][rows],
        reference.hashes[reference.ids],
        reference.offsets[:-1],
        reference.offsets[1:],
    )
    return smoothed_precision(counts)


def _flat(view: View) -> tuple[list[str], Int64s]:
    """All pseudo-references, and the segment of each."""
    lists = view.beside(PSEUDO_REFERENCES)
    return [text for row in lists for text in row], np.repeat(np.arange(len(lists)), [len(row) for row in lists])


def _mean_and_best(scores: Float64s, rows: Int64s, n: int, higher_is_better: bool = True) -> Float64s:
    """Mean and best score of each segment, 0 without scores; (n, 2)."""
    if not higher_is_better:
        return -_mean_and_best(-scores, rows, n)
    out = np.zeros((n, 2))
    counts = np.bincount(rows, minlength=n)
    out[:, 0] = np.bincount(rows, scores, n) / np.maximum(counts, 1)
    best = np.full(n, -np.inf)
    np.maximum.at(best, rows, scores)
    out[:, 1] = np.where(counts > 0, best, 0.0)
    return out


def lower_texts(view: View) -> tuple[Sequence[str], Sequence[str]]:
    """Sources and translations of the request, or their joined lower-case tokens for a batch without texts."""
    if view.batch.texts is not None:
        return view.batch.texts
    source, target = ([" ".join(column.tokens(row)) for row in range(len(view))] for column in (view.source, view.target))
    return source, target


def _precision(view: View) -> Float64s:
    texts, rows = view.cached(_flat)
    tokenise = tokeniser_for(view.batch.pair.target)
    packed_texts = pack_tokens([tokenise(text) for text in texts])
    return _mean_and_best(precision_against(view.target, rows, packed_texts), rows, len(view))


def _against_pseudo_references(metric: str) -> Callable[[View], Float64s]:
    def block(view: View) -> Float64s:
        texts, rows = view.cached(_flat)
        _, translations = view.cached(lower_texts)
        scores = metric_scores(metric, [translations[row] for row in rows.tolist()], texts) if texts else np.zeros(0)
        return _mean_and_best(scores, rows, len(view), metric_named(metric).higher_is_better)

    return block


def _against_back_translation(metric: str) -> Callable[[View], Float64s]:
    def column(view: View) -> Float64s:
        texts = view.beside(BACK_TRANSLATIONS)
        return metric_scores(metric, texts, view.cached(lower_texts)[0])

    return column


A_REFERENCE: Final = PartNeed(PSEUDO_REFERENCES, ("1",), "a pseudo-reference for every segment")

add = COMPARISONS.add
# fmt: off
add("pr.precision", "pseudo_reference_precision",
    "Geometric mean of smoothed 1- to 4-gram precisions against the pseudo-references, mean over them", Family.ADEQUACY,
    part(_precision, 0), PSEUDO_REFERENCES, A_REFERENCE)
add("pr.best_precision", "pseudo_reference_best_precision", "The same, against the nearest pseudo-reference", Family.ADEQUACY,
    part(_precision, 1), PSEUDO_REFERENCES, A_REFERENCE)
for name, metric, title in METRICS:
    block = _against_pseudo_references(metric)
    add(f"pr.{name}", f"pseudo_reference_{name}", f"{title} against the pseudo-references, mean over them", Family.ADEQUACY,
        part(block, 0), PSEUDO_REFERENCES, A_REFERENCE)
    add(f"pr.best_{name}", f"pseudo_reference_best_{name}", f"{title} against the pseudo-references, the best", Family.ADEQUACY,
        part(block, 1), PSEUDO_REFERENCES, A_REFERENCE)
    add(f"bt.{name}", f"back_translation_{name}", f"{title} of the back-translation against the source", Family.ADEQUACY,
        _against_back_translation(metric), BACK_TRANSLATIONS)
# fmt: on
