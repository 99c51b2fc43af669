"""Ranking by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.metrics.significance.paired_tests import paired_bootstrap
from app.metrics.significance.resampling import resample_weights
from app.planning.system_selection import rank_systems


def test_two_segments_by_hand() -> None:
    ranking = rank_systems([["a", "b"], ["b", "a"]], np.array([0.2, 0.4, 0.1, 0.1]), np.array([0.1] * 4), False)
    first, second = ranking.segments
    assert first.systems == ("a", "b")
    # The difference is 0.2 and its deviation sqrt(0.02): Phi(1.4142) = 0.9214.
    assert first.better_probability == pytest.approx(0.9214, abs=1e-4)
    assert second.systems == ("b", "a")
    assert second.better_probability == 0.5
    standing = {each.system: each for each in ranking.systems}
    assert (standing["a"].wins, standing["b"].wins) == (1.5, 0.5)
    assert standing["a"].mean == pytest.approx(0.15)
    assert [each.system for each in ranking.systems] == ["a", "b"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=4), min_size=1, max_size=10), st.booleans())
def test_wins_add_up_and_orders_are_sorted(rows: list[list[float]], higher: bool) -> None:
    names = [[f"s{k}" for k in range(len(row))] for row in rows]
    flat = np.array([value for row in rows for value in row])
    ranking = rank_systems(names, flat, np.full(len(flat), 0.3), higher)
    assert sum(each.wins for each in ranking.systems) == pytest.approx(sum(len(row) > 1 for row in rows))
    for each in ranking.segments:
        assert list(each.scores) == sorted(each.scores, reverse=higher)
        assert 0.5 <= each.better_probability <= 1
    for each in ranking.systems:
        assert (each.segments > 1) == (each.interval is not None) == (each.best_share is not None)
        assert each.interval is None or each.interval[0] <= each.interval[1]
        assert each.best_share is None or 0 <= each.best_share <= 1


def test_one_segment_says_nothing_of_others() -> None:
    first, second = rank_systems([["a", "b"]], np.array([0.2, 0.4]), np.array([0.1, 0.1]), False).systems
    assert (first.system, first.wins, first.mean) == ("a", 1.0, 0.2)
    assert first.interval is None and first.best_share is None and second.interval is None and second.best_share is None
    # Of three systems the one that translated a single segment is the only one without.
    rows = [["a", "b"], ["a", "b", "c"], ["a", "b"]]
    standing = {each.system: each for each in rank_systems(rows, np.arange(7.0) / 10, np.full(7, 0.1), False).systems}
    assert standing["c"].interval is None and standing["a"].interval is not None and standing["b"].best_share is not None


def test_a_translation_without_a_rival_wins_nothing() -> None:
    rows = [["a", "b"], ["a"], ["b"], ["a"]]
    ranking = rank_systems(rows, np.array([0.2, 0.4, 0.1, 0.3, 0.2]), np.full(5, 0.1), False)
    assert {each.system: each.wins for each in ranking.systems} == {"a": 1.0, "b": 0.0}
    # An empty translation is no rival.
    masked = rank_systems([["a", "b"]] * 2, np.array([0.2, 1, 0.2, 0.4]), np.full(4, 0.1), False, empty=[False, True, False, False])
    assert {each.system: each.wins for each in masked.systems} == {"a": 1.0, "b": 0.0}


def test_systems_are_compared_on_common_segments() -> None:
    """`b` lacks the second segment, which is the worst of `a`: on common segments both are equal."""
    rows, scores = [["a", "b"], ["a"], ["a", "b"]], np.array([0.1, 0.1, 0.9, 0.3, 0.3])
    by_system = {standing.system: standing for standing in rank_systems(rows, scores, np.full(5, 0.1), False).systems}
    assert by_system["a"].against_baseline is None and by_system["a"].mean > by_system["b"].mean
    comparison = by_system["b"].against_baseline
    assert comparison is not None and (comparison.segments, comparison.p_value) == (2, 1.0)
    assert comparison.mean == comparison.baseline_mean == pytest.approx(0.2)
    apart = rank_systems([["a"], ["b"]], np.array([0.1, 0.9]), np.full(2, 0.1), False, baseline="b")
    assert apart.baseline == "b" and all(standing.against_baseline is None for standing in apart.systems)


def test_differences_are_tested_by_the_paired_bootstrap_of_scores() -> None:
    """The mean of segments is a metric, so that its p-value is that of a metric's scores."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 0.1, 50), rng.normal(0.32, 0.1, 50)
    ranking = rank_systems([["a", "b"]] * 50, np.stack([a, b], 1).ravel(), np.full(100, 0.1), False)
    weights = resample_weights(50, 1000, 12345).astype(np.float64)
    expected = paired_bootstrap(float(b.mean() - a.mean()), weights @ (b - a) / 50, 50)
    comparison = next(standing.against_baseline for standing in ranking.systems if standing.system == "b")
    assert comparison is not None and comparison.p_value == pytest.approx(expected)


def test_nothing_ranks_nothing() -> None:
    assert rank_systems([], np.empty(0), np.empty(0), True).systems == ()


def test_a_severe_warning_puts_a_candidate_behind_all_others() -> None:
    names, scores = [["a", "b", "c"]], np.array([0.1, 0.3, 0.2])
    (segment,) = rank_systems(names, scores, np.full(3, 0.1), False, [True, False, True]).segments
    assert segment.systems == ("b", "a", "c") and segment.scores == (0.3, 0.1, 0.2)
    assert segment.better_probability == 1.0
    standing = {each.system: each for each in rank_systems(names, scores, np.full(3, 0.1), False, [True, False, True]).systems}
    assert standing["b"].wins == 1 and standing["a"].wins == 0
    # A system with severe candidates alone follows, however good its mean.
    assert [each.system for each in rank_systems(names, scores, np.full(3, 0.1), False, [True, False, True]).systems] == [
        "b",
        "a",
        "c",
    ]
    twice = rank_systems([["a", "b"]] * 2, np.array([0.1, 0.3, 0.1, 0.3]), np.full(4, 0.1), False, [True, False, False, False])
    assert [each.system for each in twice.systems] == ["a", "b"]
    # Two severe candidates compare by their scores.
    (segment,) = rank_systems(names, scores, np.full(3, 0.1), False, [True] * 3).segments
    assert segment.systems == ("a", "c", "b") and segment.better_probability < 1
