"""Exact line searches against the seeds' worked examples and against brute force."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import Metric
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.mert.envelope_kernels import trace_envelopes
from app.smt.tuning.mert.line_search import Smoothing, best_on_line, intervals_on_line
from app.smt.tuning.pool import TuningPool
from tests.smt.tuning.pools import random_pool


@dataclass(frozen=True)
class Errors(Metric):
    """A count of errors, as the seeds' examples have it."""

    name: str = "errors"
    unit: str = "errors"
    higher_is_better: bool = False

    def prepare(self, references: Any) -> Any:
        raise NotImplementedError

    def score(self, sums: Any) -> Any:
        return sums[:, 0]

    def options(self) -> str:
        return ""


def pool_of_lines(lists: list[list[tuple[float, float, float]]]) -> tuple[TuningPool, np.ndarray, np.ndarray]:
    """Lists of lines (intercept, slope, errors)."""
    lines = np.array([line for row in lists for line in row], np.float64)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])])
    pool = TuningPool(
        offsets, ("a",), HypothesisFeatures(lines[:, 1:2].copy()), Errors(), lines[:, 2:].copy(), np.arange(len(lists))
    )
    return pool, np.ascontiguousarray(lines[:, 0]), np.ascontiguousarray(lines[:, 1])


def test_the_example_of_two_lists() -> None:
    """Song's thesis, digest 4.10: a crossing under the envelope does not appear."""
    pool, intercepts, slopes = pool_of_lines([[(1, 2, 1), (3, -1, 0), (2.5, 0.5, 2)], [(0, 1, 0), (1, 0, 3)]])
    places, scores = intervals_on_line(pool, intercepts, slopes)
    assert places.tolist() == pytest.approx([1 / 3, 1.0])
    assert scores.tolist() == [3, 5, 1]
    point = best_on_line(pool, intercepts, slopes)
    assert point.score == 1
    assert point.step > 1


def test_the_example_of_lists_with_errors() -> None:
    """SampleRank's digest 4.8."""
    pool, intercepts, slopes = pool_of_lines([[(-2, 0, 2), (-3, 1, 5), (-6, 2, 1)], [(-1, 1, 3), (-0.5, -1, 4)]])
    places, scores = intervals_on_line(pool, intercepts, slopes)
    assert places.tolist() == pytest.approx([0.25, 1.0, 3.0])
    assert scores.tolist() == [6, 5, 8, 4]
    assert best_on_line(pool, intercepts, slopes).step > 3


numbers = st.integers(-6, 6).map(float)
lines = st.tuples(numbers, numbers, st.integers(0, 5).map(float))


@given(st.lists(st.lists(lines, min_size=1, max_size=8), min_size=1, max_size=5))
def test_intervals_are_what_brute_force_chooses(lists: list[list[tuple[float, float, float]]]) -> None:
    pool, intercepts, slopes = pool_of_lines(lists)
    places, scores = intervals_on_line(pool, intercepts, slopes)
    edges = np.concatenate([[(places[0] if len(places) else 0) - 2], places, [(places[-1] if len(places) else 0) + 2]])
    for low, high, score in zip(edges[:-1], edges[1:], scores, strict=True):
        inside = (low + high) / 2
        errors = 0.0
        for row in lists:
            values = [intercept + inside * slope for intercept, slope, _ in row]
            tied = {row[k][2] for k in range(len(row)) if values[k] > max(values) - 1e-9}
            # Lines that are equal are told apart by their order, which brute force does not know.
            if len(tied) > 1:
                return
            errors += tied.pop()
        assert score == errors


@given(st.integers(0, 2**32), st.integers(1, 900), st.booleans())
def test_envelopes_are_the_highest_lines(seed: int, size: int, whole: bool) -> None:
    """The plain twin: between two places, and beyond the ends, the line that is highest."""
    rng = np.random.default_rng(seed)
    intercepts, slopes = rng.normal(size=size), rng.normal(size=size)
    if whole:
        intercepts, slopes = np.round(intercepts * 3), np.round(slopes * 3)
    first, places, before, after = trace_envelopes(intercepts, slopes, np.array([0, size]), np.arange(float(size))[:, None])
    assert (np.diff(places) >= 0).all()
    assert (before == np.concatenate([first, after[:-1]])[: len(before)]).all()
    edges = np.concatenate([[places[0] - 1 if len(places) else 0], places, [places[-1] + 1 if len(places) else 0]])
    lines = np.concatenate([first, after])
    for low, high, line in zip(edges[:-1], edges[1:], lines, strict=True):
        values = intercepts + (low + high) / 2 * slopes
        assert values[line] >= values.max() - 1e-9 * max(1.0, abs(low))
        # Of equal lines the first counts.
        assert line == np.flatnonzero((intercepts == intercepts[line]) & (slopes == slopes[line]))[0]


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 12), st.sampled_from(["exp", "none", "add-k", "floor"]))
def test_scores_of_bleu_that_are_left_out_are_not_the_best(seed: int, segments: int, size: int, smooth: str) -> None:
    pool = random_pool(seed, segments, size, metric=f"bleu|tok:none|smooth:{smooth}")
    intercepts, slopes = (np.round(pool.features.column(k) / 10**k, seed % 3) for k in (0, 1))
    edges, scores = intervals_on_line(pool, intercepts, slopes)
    few_edges, few_scores = intervals_on_line(pool, intercepts, slopes, all_scores=False)
    assert np.array_equal(few_edges, edges)
    present = np.isfinite(few_scores)
    assert present[np.searchsorted(edges, 0.0, side="right")]
    assert np.array_equal(few_scores[present], scores[present])
    assert present[scores == scores.max()].all()


def test_no_place_where_statistics_stay() -> None:
    pool, intercepts, slopes = pool_of_lines([[(0, -1, 3), (1, 0, 3), (0, 1, 2)]])
    places, scores = intervals_on_line(pool, intercepts, slopes)
    assert places.tolist() == [1.0]
    assert scores.tolist() == [3, 2]


def test_a_narrow_spike_is_passed_over_where_neighbours_count() -> None:
    lists = [[(0.0, 0.0, 5.0), (-1.0, 1.0, 0.0), (-2.1, 2.0, 9.0), (-5.2, 3.0, 1.0), (-9.3, 4.0, 1.5), (-14.4, 5.0, 1.0)]]
    pool, intercepts, slopes = pool_of_lines(lists)
    assert best_on_line(pool, intercepts, slopes).score == 0
    assert best_on_line(pool, intercepts, slopes, Smoothing("minimum", 1)).score == 1


def test_what_lies_between_is_the_middle() -> None:
    pool, intercepts, slopes = pool_of_lines([[(0.0, 0.0, 1.0), (-1.0, 1.0, 0.0), (-4.0, 2.0, 1.0)]])
    point = best_on_line(pool, intercepts, slopes)
    assert (point.step, point.score, point.gain) == (2.0, 0.0, 1.0)
