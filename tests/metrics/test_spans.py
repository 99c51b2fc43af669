"""Error spans against plain counting character by character, and against all ways to match them."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics.meta_evaluation.spans import NO_SPANS, SEVERITIES, ErrorSpan, count_spans

SPAN = st.builds(
    lambda start, length, severity: ErrorSpan(start, start + length, severity),
    st.integers(0, 12),
    st.integers(1, 6),
    st.sampled_from(SEVERITIES),
)
SPANS = st.lists(SPAN, max_size=4)


def credit(gold: list[ErrorSpan], predicted: list[ErrorSpan]) -> tuple[float, float, float]:
    """Characters of gold and predicted spans and the credit, as the scorer of WMT 2025 counts them."""
    totals = [0.0, 0.0, 0.0]
    for place in range(20):
        major, minor = (
            [
                sum(span.start <= place < span.end and (span.severity != "minor") == is_major for span in spans)
                for spans in (gold, predicted)
            ]
            for is_major in (True, False)
        )
        totals[0] += major[0] + minor[0]
        totals[1] += major[1] + minor[1]
        rest = [max(0, major[side] - major[1 - side]) + max(0, minor[side] - minor[1 - side]) for side in (0, 1)]
        totals[2] += min(major) + min(minor) + 0.5 * min(rest)
    return totals[0], totals[1], totals[2]


def best_matchings(gold: list[ErrorSpan], predicted: list[ErrorSpan]) -> list[tuple[float, float]]:
    """Sums of covered shares of gold and of predicted spans, of all ways to match them with the highest sum of F1."""
    ways = []
    for row in permutations(predicted, len(gold)) if len(gold) <= len(predicted) else permutations(gold, len(predicted)):
        pairs = list(zip(gold, row, strict=False)) if len(gold) <= len(predicted) else list(zip(row, predicted, strict=False))
        sizes = [(len(characters(a) & characters(b)), len(characters(a)), len(characters(b))) for a, b in pairs]
        f1 = sum(2 * both / (a + b) for both, a, b in sizes)
        ways.append((f1, sum(both / a for both, a, _ in sizes), sum(both / b for both, _, b in sizes)))
    highest = max(f1 for f1, _, _ in ways)
    return [(a, b) for f1, a, b in ways if f1 > highest - 1e-9]


def characters(span: ErrorSpan) -> set[int]:
    return set(range(span.start, span.end))


@given(SPANS, SPANS)
def test_characters_are_counted_as_wmt_does(gold: list[ErrorSpan], predicted: list[ErrorSpan]) -> None:
    found = count_spans(gold, predicted)
    assert (found.gold_characters, found.predicted_characters, found.credit) == credit(gold, predicted)


@given(SPANS, SPANS)
def test_matches_are_the_best_ones(gold: list[ErrorSpan], predicted: list[ErrorSpan]) -> None:
    found = count_spans(gold, predicted)
    expected = best_matchings(gold, predicted)
    assert any((found.covered_gold, found.covered_predicted) == pytest.approx(row) for row in expected)
    same = count_spans(gold, gold)
    assert (same.covered_gold, same.credit) == (len(gold), same.gold_characters)


def test_measures_by_hand() -> None:
    """A long prediction over two errors matches the one with the higher F1; the other severity halves its characters."""
    gold, predicted = (
        [ErrorSpan(0, 4, "major"), ErrorSpan(6, 12, "major")],
        [ErrorSpan(2, 12, "minor"), ErrorSpan(20, 24, "critical")],
    )
    found = count_spans(gold, predicted).accuracy()
    assert (found.spans, found.predicted_spans) == (2, 2)
    # Six of ten predicted characters, and all six of the second error; 8 characters of 14 and 10, at half the credit.
    assert (found.mpp_precision, found.mpp_recall, found.mpp_f1) == pytest.approx((0.3, 0.5, 0.375))
    assert (found.precision, found.recall, found.f1) == pytest.approx((4 / 14, 4 / 10, 8 / 24))


def test_sums_of_segments_are_micro_averages() -> None:
    first, second = [ErrorSpan(0, 10, "major")], [ErrorSpan(5, 10, "major")]
    found = (count_spans(first, second) + count_spans([], second) + count_spans(first, [])).accuracy()
    assert (found.mpp_precision, found.mpp_recall) == (0.5, 0.25) and (found.precision, found.recall) == (0.5, 0.25)
    empty = NO_SPANS.accuracy()
    assert (empty.f1, empty.precision, empty.recall, empty.mpp_f1) == (1, 1, 1, 1)
    assert count_spans(first, []).accuracy().f1 == 0 and np.isfinite(count_spans([], first).accuracy().f1)
