"""Features of trained metrics: parsing of their names, and their computation.

Overlap features are called ``<unit><order>.<value>``; docs/use/metrics.md lists the units. The values are:

- ``p`` and ``r``: matches over the units of the hypothesis and of the reference,
- ``pf.β``: F of p and r,
- ``a`` and ``b``: the smaller and the larger of p and r,
- ``f.β`` and ``g.β``: F and weighted geometric mean of a and b.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics.learnt.dependency_trees import RELATIONS
from app.metrics.learnt.segment_pairs import PAIR_UNITS, SegmentPairs
from app.permutations.similarities import SIMILARITIES

__all__ = ["FEATURE_FAMILIES", "FeatureFamily", "check_features", "feature_values"]

VALUE: Final = re.compile(r"(a|b|p|r)|(f|g|pf)\.(\d{1,2}(?:\.\d{1,4})?)")
OVERLAP: Final = re.compile(r"([a-z]+)(\d{0,7})\.(.+)")
DISBALANCE: Final = re.compile(r"len_disbalance_(char|word)\.d\.(\d{1,2}(?:\.\d{1,4})?)")
CLASS_RATIO: Final = re.compile(r"ratio\.(words|function|punctuation|content)(\.difference)?")
AVERAGE: Final = re.compile(r"average([1-4])\.p")
ORDER: Final = re.compile(r"order\.(" + "|".join(SIMILARITIES) + r")(?:\.recall\.(\d(?:\.\d{1,4})?))?")
ARCS: Final = re.compile(r"arcs\.(" + "|".join(RELATIONS) + r")\.(both|hypothesis|reference)")
METRIC: Final = re.compile(r"metric\((.{1,200})\)")
# Length disbalance of a pair with one empty side, as in the released BEER 2.0.
EMPTY_DISBALANCE: Final = 100000.0


@dataclass(frozen=True)
class FeatureFamily:
    """The form of the names of a family of features, and its description."""

    form: str
    description: str


FEATURE_FAMILIES: Final = (
    *(FeatureFamily(f"{unit.name}K.VALUE" if unit.orders else f"{unit.name}.VALUE", unit.description) for unit in PAIR_UNITS),
    FeatureFamily("len_disbalance_char.d.K", "the longer over the shorter side in characters, less 1, to the power K"),
    FeatureFamily("len_disbalance_word.d.K", "the longer over the shorter side in words, less 1, to the power K"),
    FeatureFamily("averageK.p", "mean of the word n-gram precisions of orders 1 to K"),
    FeatureFamily("ratio.CLASS", "hypothesis over reference words: words, function, punctuation or content"),
    FeatureFamily("ratio.CLASS.difference", "hypothesis less reference words of a class, over the reference's length"),
    FeatureFamily("order.SIMILARITY", "a similarity of the order of matched words, or a share of permutation-tree nodes"),
    FeatureFamily("metric(NAME)", "the segment score of any metric, over 100"),
    FeatureFamily("order.SIMILARITY.recall.γ", "(order.SIMILARITY × recall of matched words) to the power γ"),
    FeatureFamily("arcs.RELATION.both", "matched arcs of a universal dependency relation, over the mean number of arcs"),
    FeatureFamily("arcs.RELATION.hypothesis", "arcs of a relation without a match, over all arcs of the hypothesis; or reference"),
)


def feature_values(names: Sequence[str], pairs: SegmentPairs) -> Float64s:
    """Values of the named features; shape (h, len(names))."""
    return np.column_stack([_calculation(name)(pairs) for name in names]) if names else np.zeros((len(pairs), 0))


def check_features(names: Iterable[str]) -> None:
    """Raise InputError (``unknown-feature-set``) if a name is no feature of trained metrics."""
    for name in names:
        _calculation(name)


def _calculation(name: str) -> Callable[[SegmentPairs], Float64s]:
    for form, parse in _FORMS:
        match = form.fullmatch(name)
        calculation = parse(*match.groups()) if match else None
        if calculation is not None:
            return calculation
    forms = ", ".join(family.form for family in FEATURE_FAMILIES)
    raise InputError("unknown-feature-set", f"features of trained metrics have the forms {forms}")


def _overlap_feature(unit_name: str, digits: str, value: str) -> Callable[[SegmentPairs], Float64s] | None:
    unit = {unit.name: unit for unit in PAIR_UNITS}.get(unit_name)
    if unit is None or not VALUE.fullmatch(value) or bool(unit.orders) != bool(digits):
        return None
    order = int(digits or 0)
    if unit.orders and not unit.orders[0] <= order <= unit.orders[1]:
        return None
    return lambda pairs: _overlap(pairs, unit_name, order, value)


def _average(order: str) -> Callable[[SegmentPairs], Float64s]:
    return lambda pairs: np.mean([_overlap(pairs, "word", k, "p") for k in range(1, int(order) + 1)], axis=0)


def _overlap(pairs: SegmentPairs, unit: str, order: int, value: str) -> Float64s:
    p, r = pairs.shares(unit, order)
    a, b = (np.minimum(p, r), np.maximum(p, r)) if value[0] in "abfg" else (p, r)
    if value in ("a", "p"):
        return np.asarray(a)
    if value in ("b", "r"):
        return np.asarray(b)
    kind, _, digits = value.partition(".")
    beta = float(digits)
    if kind == "g":
        return np.asarray((a * b**beta) ** (1.0 / (1.0 + beta)))
    weighted = beta**2 * a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(weighted > 0, (1.0 + beta**2) * a * b / weighted, 0.0))


def _disbalance(pairs: SegmentPairs, side: str) -> Float64s:
    hypothesis_lengths, reference_lengths = pairs.lengths(side)
    longer, shorter = np.maximum(hypothesis_lengths, reference_lengths), np.minimum(hypothesis_lengths, reference_lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(shorter > 0, longer / shorter - 1.0, np.where(longer > 0, EMPTY_DISBALANCE, 0.0)))


def _order(pairs: SegmentPairs, similarity: str, gamma: str | None) -> Float64s:
    values = pairs.similarities[:, SIMILARITIES.index(similarity)]
    if gamma is None:
        return values
    return np.asarray((values * pairs.shares("matched", 0)[1]) ** float(gamma))


def _arcs(pairs: SegmentPairs, relation: str, value: str) -> Float64s:
    matches, *side_counts = np.moveaxis(pairs.arcs[:, RELATIONS.index(relation)], 1, 0)
    hypothesis_arcs, reference_arcs = pairs.lengths("word")
    if value == "both":
        return np.asarray(2 * matches / np.maximum(hypothesis_arcs + reference_arcs, 1))
    side = ("hypothesis", "reference").index(value)
    return np.asarray((side_counts[side] - matches) / np.maximum((hypothesis_arcs, reference_arcs)[side], 1))


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[..., Callable[[SegmentPairs], Float64s] | None]], ...]] = (
    (DISBALANCE, lambda side, degree: lambda pairs: _disbalance(pairs, side) ** float(degree)),
    (AVERAGE, _average),
    (CLASS_RATIO, lambda kind, difference: lambda pairs: pairs.class_ratio(kind, bool(difference))),
    (ORDER, lambda similarity, gamma: lambda pairs: _order(pairs, similarity, gamma)),
    (ARCS, lambda relation, value: lambda pairs: _arcs(pairs, relation, value)),
    (METRIC, lambda name: lambda pairs: pairs.metric_scores(name) / 100.0),
    (OVERLAP, _overlap_feature),
)
