"""Ranking by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    assert sum(each.wins for each in ranking.systems) == pytest.approx(len(rows))
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


def test_nothing_ranks_nothing() -> None:
    assert rank_systems([], np.empty(0), np.empty(0), True).systems == ()


def test_a_severe_warning_puts_a_candidate_behind_all_others() -> None:
    names, scores = [["a", "b", "c"]], np.array([0.1, 0.3, 0.2])
    (segment,) = rank_systems(names, scores, np.full(3, 0.1), False, [True, False, True]).segments
    assert segment.systems == ("b", "a", "c") and segment.scores == (0.3, 0.1, 0.2)
    assert segment.better_probability == 1.0
    standing = {each.system: each for each in rank_systems(names, scores, np.full(3, 0.1), False, [True, False, True]).systems}
    assert standing["b"].wins == 1 and standing["a"].wins == 0
    # Two severe candidates compare by their scores.
    (segment,) = rank_systems(names, scores, np.full(3, 0.1), False, [True] * 3).segments
    assert segment.systems == ("a", "c", "b") and segment.better_probability < 1
