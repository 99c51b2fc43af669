"""Minimum Bayes risk decisions: of each list the candidate with the best expected score (Kumar and Byrne 2004).

The expectation is over pseudo-references: the list itself, samples, or the outputs of other systems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric, metric_named
from app.running.journal import SILENT, Journal
from app.smt.lists.mbr.distinct import DistinctTexts
from app.smt.lists.mbr.exact import exact_scores, own_scores, scores_of_some
from app.smt.lists.mbr.expected_counts import expected_count_scores
from app.smt.lists.mbr.pairs import TextPairs
from app.smt.lists.mbr.probabilities import uniform_probabilities
from app.smt.lists.mbr.pruning import Pruning, pruned_scores
from app.smt.tuning.choice_kernels import first_of_best
from app.text.reading.options import Choice, Number, Option, parse_options

__all__ = ["EXACT", "WAYS", "MbrDecisions", "TextLists", "Way", "decide", "parse_way"]

# How expected scores are computed, by name, with the options of each.
WAYS: Final[dict[str, dict[str, Option]]] = {
    "exact": {},
    "counts": {},
    "coarse": {"keep": Number(1, 1000, 10, whole=True), "by": Choice({name: name for name in ("chrf", "bleu", "sbleu")}, "chrf")},
    "pruned": {
        "confidence": Number(0.5, 1, 0.99),
        "samples": Number(10, 10_000, 500, whole=True),
        "seed": Number(0, 2**31 - 1, 0, whole=True),
    },
}


class TextLists(Protocol):
    """N-best lists, or anything else that has lists of texts: those of list i are ``texts[offsets[i]:offsets[i + 1]]``."""

    @property
    def offsets(self) -> Int64s:
        """Where lists begin, and the end of the last; shape (n + 1,)."""

    @property
    def texts(self) -> Sequence[str]:
        """All texts, list by list."""


@dataclass(frozen=True)
class Way:
    """How expected scores are computed.

    ``exact``: from all pairs. ``counts``: against the expected n-gram counts of the references, which is linear in the list and
    another metric than the pairs' mean. ``coarse``: exactly, for the `keep` best by expected counts. ``pruned``: exactly, for what
    confidence-based pruning leaves.
    """

    name: str
    settings: Mapping[str, Any]


EXACT: Final = Way("exact", {})

# Expected scores that differ by less, as a share of the best one or of 1, differ by the rounding of their sums.
ROUNDING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class MbrDecisions:
    """Per candidate its expected score in the metric's unit, NaN where it was not computed (h,); per list the chosen one (n,).

    A list without candidates has -1. So many `pairs` were scored, where pairs were.
    """

    expected: Float64s
    chosen: Int64s
    pairs: int


def parse_way(spec: str) -> Way:
    """``exact``, ``counts``, ``coarse|keep:20``, ``pruned|confidence:0.9``; InputError (``invalid-request``) says what there is."""
    name, *options = spec.split("|")
    if name not in WAYS:
        raise InputError("invalid-request", f"expected scores are computed in one of these ways: {', '.join(WAYS)}", ("way",))
    try:
        return Way(name, parse_options(name, WAYS[name], options, "invalid-request", "coarse|keep:20"))
    except InputError as error:
        raise InputError(error.code, error.detail, ("way",)) from None


def decide(
    candidates: TextLists,
    metric: Metric,
    probabilities: Float64s | None = None,
    references: TextLists | None = None,
    way: Way = EXACT,
    own: bool = True,
    journal: Journal = SILENT,
) -> MbrDecisions:
    """Choose one candidate of each list; of equally good ones the first.

    `probabilities` are those of the entries of `references`, or of the candidates where these are the references; uniform unless
    given. Without `own`, an entry does not count for itself (others with its text do), and nothing is divided by what is left
    (Srivastava's thesis, equation 4.1). InputError where a list has candidates but no reference.
    """
    evidence = candidates if references is None else references
    if not own and (references is not None or way.name != "exact"):
        raise InputError(
            "invalid-request", "an own term is left out of exact scores, of lists that are their own references", ("own",)
        )
    if probabilities is None:
        probabilities = uniform_probabilities(evidence.offsets)
    ours = DistinctTexts.of(candidates.texts, candidates.offsets)
    theirs = ours if references is None else DistinctTexts.of(references.texts, references.offsets)
    if len(ours) != len(theirs) or (theirs.lengths[ours.lengths > 0] == 0).any():
        raise InputError("unequal-lengths", "every list of candidates needs a list of references", ("references",))
    weights = theirs.gathered(probabilities)
    pairs = TextPairs(metric, ours, theirs)
    distinct, scored = _scores(pairs, weights, way, journal)
    expected = distinct[ours.place]
    if not own:
        expected = expected - probabilities * own_scores(pairs)[ours.place]
    return MbrDecisions(expected, _chosen(expected, candidates.offsets, metric.higher_is_better), scored)


def _scores(pairs: TextPairs, weights: Float64s, way: Way, journal: Journal) -> tuple[Float64s, int]:
    if way.name == "counts":
        return expected_count_scores(pairs.metric, pairs.candidates, pairs.references, weights), 0
    if way.name == "pruned":
        return pruned_scores(pairs, weights, Pruning(**way.settings), journal)
    if way.name == "coarse":
        rough = expected_count_scores(metric_named(way.settings["by"]), pairs.candidates, pairs.references, weights)
        wanted = _ranks(rough, pairs.candidates) < way.settings["keep"]
        return scores_of_some(pairs, weights, wanted, journal)
    return exact_scores(pairs, weights, journal), int(pairs.counts.sum())


def _ranks(scores: Float64s, lists: DistinctTexts) -> Int64s:
    """The place of each text among those of its list, the best first."""
    order = np.lexsort((-scores, lists.list_of))
    ranks = np.empty(len(scores), np.int64)
    ranks[order] = np.arange(len(scores)) - lists.offsets[lists.list_of[order]]
    return ranks


def _chosen(expected: Float64s, offsets: Int64s, higher_is_better: bool) -> Int64s:
    turned = np.nan_to_num(expected if higher_is_better else -expected, nan=-np.inf)
    filled = np.flatnonzero(np.diff(offsets) > 0)
    chosen = np.full(len(offsets) - 1, -1)
    if len(filled):
        # Lists without candidates take no room between the others. Sums of the same numbers in another order are equally good.
        bests = np.repeat(np.maximum.reduceat(turned, offsets[filled]), np.diff(offsets)[filled])
        turned = np.where(turned >= bests - ROUNDING * np.maximum(1.0, np.abs(bests)), bests, turned)
        chosen[filled] = first_of_best(turned, np.concatenate([offsets[filled], offsets[-1:]]))
    return chosen
