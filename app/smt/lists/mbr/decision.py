"""Minimum Bayes risk decisions: the candidate of each list with the best expected score (Kumar and Byrne 2004).

The expectation is over pseudo-references: the list itself, samples, or outputs of other systems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric, metric_named
from app.running.journal import SILENT, Journal
from app.smt.lists.mbr.distinct import DistinctTexts
from app.smt.lists.mbr.exact import exact_scores, scores_of_some
from app.smt.lists.mbr.expected_counts import expected_count_scores
from app.smt.lists.mbr.pairs import TextPairs
from app.smt.lists.mbr.probabilities import uniform_probabilities
from app.smt.lists.mbr.pruning import CandidatePruning, pruned_scores
from app.smt.tuning.choice_kernels import first_of_best
from app.text.reading.options import Choice, Number, Option, parse_options

__all__ = ["EXACT", "WAYS", "MbrDecisions", "PlainTextLists", "TextLists", "Way", "decide", "parse_way"]

# Ways to compute expected scores, with their options.
WAYS: Final[dict[str, dict[str, Option]]] = {
    "exact": {},
    "counts": {},
    "coarse": {
        "keep": Number(1, 1000, 10, is_whole=True),
        "by": Choice({name: name for name in ("chrf", "bleu", "sbleu")}, "chrf"),
    },
    "pruned": {
        "confidence": Number(0.5, 1, 0.99),
        "samples": Number(10, 10_000, 500, is_whole=True),
        "seed": Number(0, 2**31 - 1, 0, is_whole=True),
    },
}


class TextLists(Protocol):
    """Lists of texts, such as n-best lists: list i has ``texts[offsets[i]:offsets[i + 1]]``."""

    @property
    def offsets(self) -> Int64s:
        """Offsets of the lists; shape (n + 1,)."""

    @property
    def texts(self) -> Sequence[str]:
        """Texts of all lists."""


class PlainTextLists(NamedTuple):
    """Lists of texts without anything else."""

    offsets: Int64s
    texts: Sequence[str]


@dataclass(frozen=True)
class Way:
    """A way to compute expected scores.

    ``exact`` uses all pairs. ``counts`` uses the expected n-gram counts of the references: linear in the list, and not
    equal to the mean over pairs. ``coarse`` is exact for the `keep` best candidates by counts. ``pruned`` is exact for candidates
    that survive confidence-based pruning.
    """

    name: str
    settings: Mapping[str, Any]


EXACT: Final = Way("exact", {})

# Smaller differences of expected scores (relative to the best one, or to 1) are rounding errors.
ROUNDING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class MbrDecisions:
    """Expected score of each candidate in the metric's unit, NaN if not computed (h,); the chosen candidate of each list (n,).

    A list without candidates has -1. `pairs` is the number of scored pairs, if any. `statistics` (s,) is the sum of the metric's
    statistics over these pairs, empty for metrics of counts.
    """

    expected: Float64s
    chosen: Int64s
    pairs: int
    statistics: Float64s


def parse_way(spec: str) -> Way:
    """Parse ``exact``, ``counts``, ``coarse|keep:20``, ``pruned|confidence:0.9``; InputError (`invalid-request`) lists all."""
    name, *options = spec.split("|")
    if name not in WAYS:
        raise InputError("invalid-request", f"expected scores have these ways: {', '.join(WAYS)}", ("way",))
    return Way(name, parse_options(name, WAYS[name], options, "invalid-request", "coarse|keep:20", ("way",)))


def decide(
    candidates: TextLists,
    metric: Metric,
    probabilities: Float64s | None = None,
    references: TextLists | None = None,
    way: Way = EXACT,
    self_included: bool = True,
    journal: Journal = SILENT,
    sources: Sequence[str] | None = None,
) -> MbrDecisions:
    """Choose one candidate of each list, the first of equal ones.

    `probabilities` weight the entries of `references` (by default the candidates themselves), by default uniformly. Without
    `self_included`, an entry does not count as its own reference, but equal texts do. The rest is not normalised (Srivastava's
    thesis, equation 4.1). `sources` (n,) serve metrics that read them. InputError if a list has candidates but no references.
    """
    evidence = candidates if references is None else references
    if not self_included and (references is not None or way.name != "exact"):
        raise InputError(
            "invalid-request", "own terms can only be left out of exact scores, for lists that are their own references", ("own",)
        )
    if probabilities is None:
        probabilities = uniform_probabilities(evidence.offsets)
    candidate_texts = DistinctTexts.of(candidates.texts, candidates.offsets)
    reference_texts = candidate_texts if references is None else DistinctTexts.of(references.texts, references.offsets)
    if len(candidate_texts) != len(reference_texts) or (reference_texts.lengths[candidate_texts.lengths > 0] == 0).any():
        raise InputError("unequal-lengths", "every list of candidates needs references", ("references",))
    weights = reference_texts.gathered(probabilities)
    if sources is not None:
        metric = metric.with_sources([sources[i] for i in reference_texts.list_of.tolist()])
    pairs = TextPairs(metric, candidate_texts, reference_texts)
    if way.name == "exact":
        distinct, own_scores = exact_scores(pairs, weights, journal)
        pair_count = int(pairs.counts.sum())
    else:
        (distinct, pair_count), own_scores = _fewer_scores(pairs, weights, way, journal), np.zeros(len(candidate_texts.texts))
    expected = distinct[candidate_texts.place]
    if not self_included:
        expected = expected - probabilities * own_scores[candidate_texts.place]
    choice = _best_candidates(expected, candidates.offsets, metric.higher_is_better)
    return MbrDecisions(expected, choice, pair_count, pairs.sums)


def _fewer_scores(pairs: TextPairs, weights: Float64s, way: Way, journal: Journal) -> tuple[Float64s, int]:
    """Return expected scores from fewer than all pairs, and the number of pairs."""
    if way.name == "counts":
        return expected_count_scores(pairs.metric, pairs.candidates, pairs.references, weights), 0
    if way.name == "pruned":
        return pruned_scores(pairs, weights, CandidatePruning(**way.settings), journal)
    rough = expected_count_scores(metric_named(way.settings["by"]), pairs.candidates, pairs.references, weights)
    return scores_of_some(pairs, weights, _ranks(rough, pairs.candidates) < way.settings["keep"], journal)


def _ranks(scores: Float64s, lists: DistinctTexts) -> Int64s:
    """Return the rank of each text in its list, from 0 for the best."""
    order = np.lexsort((-scores, lists.list_of))
    ranks = np.empty(len(scores), np.int64)
    ranks[order] = np.arange(len(scores)) - lists.offsets[lists.list_of[order]]
    return ranks


def _best_candidates(expected: Float64s, offsets: Int64s, higher_is_better: bool) -> Int64s:
    gains = np.nan_to_num(expected if higher_is_better else -expected, nan=-np.inf)
    nonempty = np.flatnonzero(np.diff(offsets) > 0)
    choice = np.full(len(offsets) - 1, -1)
    if len(nonempty):
        # Empty lists have no entries here. Sums that differ by rounding only count as equal.
        bests = np.repeat(np.maximum.reduceat(gains, offsets[nonempty]), np.diff(offsets)[nonempty])
        gains = np.where(gains >= bests - ROUNDING * np.maximum(1.0, np.abs(bests)), bests, gains)
        choice[nonempty] = first_of_best(gains, np.concatenate([offsets[nonempty], offsets[-1:]]))
    return choice
