"""Training of support vector regression: the grid of the seeds, a thinned one, or successive halving over random points."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Final, TypeVar

import numpy as np

from app.arrays import Float64s, Int64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.learners.svr.support_vectors import SupportVectors
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.running.journal import SILENT, Journal, Share, recall_named

__all__ = ["GRID", "SEARCH_ROWS", "SEEDS_GRID", "correlation", "scores_of_points", "train"]

P = TypeVar("P")
Point = tuple[float, float, float]
# Within the seeds' ranges (Specia et al. 2013: C 1-10, gamma 0.0001-0.1, epsilon 0.1-0.2), thinned, and C below 1.
GRID: Final = tuple(product((0.5, 1.0, 4.0), (0.001, 0.005, 0.02, 0.05), (0.1, 0.2)))
# Ranges of the seeds: begin, end and number of samples.
SEEDS_GRID: Final = tuple(product(np.linspace(1, 10, 10), np.linspace(0.0001, 0.1, 10), np.linspace(0.1, 0.2, 10)))
# A grid is searched on this many rows; the winner is refitted on all.
SEARCH_ROWS: Final = 2000
# Halving: so many random points on few rows; the better third goes on with twice the rows.
RANDOM_POINTS: Final = 54
FEWEST_ROWS: Final = 250


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[Regressor, HyperParameters]:
    """The point with the highest correlation on held-out rows, refitted on all training rows."""
    linear = options["kernel"] == "linear"
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(data.y))

    def fit(rows: Int64s, point: Point, journal: Journal = SILENT) -> Regressor:
        return (_fit_linear if linear else _fit_rbf)(data, rows, point, journal)

    def score(rows: int) -> Callable[[Point], float]:
        return lambda point: correlation(fit(np.sort(order[:rows]), point), data)

    if options["search"] == "halving":
        best = _halving(score, _random_points(rng, linear), len(order), Share(journal, 0.0, 0.9))
    else:
        grid = _grid(options["search"], linear)
        best = grid[int(np.argmax(scores_of_points(score(SEARCH_ROWS), grid, Share(journal, 0.0, 0.9))))]
    c, gamma, epsilon = best
    hyper_parameters: HyperParameters = {"C": float(c), "epsilon": float(epsilon)}
    journal.report("learning from all rows", 0.9)
    return fit(np.arange(len(data.y)), best, journal), hyper_parameters if linear else {**hyper_parameters, "gamma": float(gamma)}


def _grid(search: str, linear: bool) -> Sequence[Point]:
    grid = SEEDS_GRID if search == "seeds" else GRID
    # A linear kernel has no width, and wants smaller C.
    return tuple(dict.fromkeys((c / 100, 0.0, epsilon) for c, _, epsilon in grid)) if linear else grid


def _random_points(rng: np.random.Generator, linear: bool) -> list[Point]:
    def log_uniform(low: float, high: float) -> Float64s:
        return np.asarray(np.exp(rng.uniform(np.log(low), np.log(high), RANDOM_POINTS)))

    c, gamma, epsilon = log_uniform(0.001, 1) if linear else log_uniform(0.1, 20), log_uniform(1e-4, 0.2), log_uniform(0.02, 0.5)
    return list(zip(c.tolist(), gamma.tolist(), epsilon.tolist(), strict=True))


def scores_of_points(score: Callable[[P], float], points: Sequence[P], journal: Journal) -> list[float]:
    """Score of each point of a grid, computed once in all runs of the journal."""

    def measure(point: P) -> Float64s:
        return np.array([score(point)])

    values = []
    for place, point in enumerate(points):
        journal.report("searching", place / len(points))
        values.append(float(journal.recall(partial(measure, point))[0]))
    return values


def _halving(score: Callable[[int], Callable[[Point], float]], points: list[Point], rows: int, journal: Journal) -> Point:
    """Successive halving (Jamieson and Talwalkar 2016)."""
    size = FEWEST_ROWS
    while len(points) > 1:
        values = scores_of_points(score(min(size, rows)), points, journal)
        best = np.argsort(-np.array(values), kind="stable")[: max(1, len(points) // 3)]
        points, size = [points[i] for i in best], size * 2
    return points[0]


def _fit_rbf(data: StandardisedRows, rows: Int64s, point: Point, journal: Journal) -> SupportVectors:
    from sklearn.svm import SVR

    c, gamma, epsilon = point

    def fit() -> dict[str, Float64s]:
        svr = SVR(C=c, gamma=gamma, epsilon=epsilon, cache_size=500).fit(data.x[rows], data.y[rows])
        return {"support": svr.support_, "coefficients": svr.dual_coef_[0], "intercept": svr.intercept_}

    arrays = recall_named(journal, fit)
    vectors = data.x[rows[arrays["support"].astype(np.int64)]]
    parts = (vectors, arrays["coefficients"], float(arrays["intercept"][0]), gamma)
    return SupportVectors(*parts, data.residual_variance(SupportVectors(*parts, 1.0).predict(data.held_x)[0]))


def _fit_linear(data: StandardisedRows, rows: Int64s, point: Point, journal: Journal) -> LinearPredictor:
    from sklearn.svm import SVR

    c, _, epsilon = point

    def fit() -> dict[str, Float64s]:
        svr = SVR(kernel="linear", C=c, epsilon=epsilon, cache_size=500).fit(data.x[rows], data.y[rows])
        return {"weights": svr.coef_[0], "intercept": svr.intercept_}

    arrays = recall_named(journal, fit)
    k = data.x.shape[1]
    parts = (arrays["weights"], float(arrays["intercept"][0]), np.zeros(k), np.zeros((k, k)))
    return LinearPredictor(*parts, data.residual_variance(LinearPredictor(*parts, 1.0).predict(data.held_x)[0]))


def correlation(regressor: Regressor, data: StandardisedRows) -> float:
    """Pearson's correlation of means and labels on held-out rows, -1 for constant means."""
    from scipy.stats import pearsonr

    mean, _ = regressor.predict(data.held_x)
    return float(pearsonr(mean, data.held_y).statistic) if float(np.ptp(mean)) > 0 else -1.0
