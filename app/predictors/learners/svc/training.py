"""Training of a support vector classifier over the grid of the seeds, and Platt's probabilities of its decisions."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.learners.svc.classifier import SupportVectorClassifier
from app.predictors.learners.svr.support_vectors import SupportVectors
from app.predictors.learners.svr.training import GRID, SEARCH_ROWS, SEEDS_GRID, correlation, scores_of_points
from app.predictors.regressor import Regressor
from app.running.journal import SILENT, Journal, Share, recall_named

__all__ = ["fit_sigmoid", "train"]

# Cost and gamma.
Point = tuple[float, float]
CLASSES: Final = 2


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[Regressor, HyperParameters]:
    """The point with the highest correlation on held-out rows, refitted on all training rows.

    InputError unless the labels have two values, both of them among the held-out rows too.
    """
    classes = _classes(data)
    order = np.random.default_rng(seed).permutation(len(data.y))
    is_balanced = options["weight"] == "balanced"

    def fit(rows: Int64s, point: Point, journal: Journal = SILENT) -> SupportVectorClassifier:
        return _fit(data, rows, classes, is_balanced, point, journal)

    def score(point: Point) -> float:
        return correlation(fit(search_rows, point), data)

    search_rows = _with_both_classes(np.sort(order[:SEARCH_ROWS]), data.y, classes)
    grid = _grid(options["search"])
    c, gamma = grid[int(np.argmax(scores_of_points(score, grid, Share(journal, 0.0, 0.9))))]
    journal.report("learning from all rows", 0.9)
    classifier = fit(np.arange(len(data.y)), (c, gamma), journal)
    return classifier, {"C": float(c), "gamma": float(gamma), "weight": options["weight"]}


def _classes(data: StandardisedRows) -> tuple[float, float]:
    values, held_out_values = np.unique(data.y), np.unique(data.held_y)
    if len(values) != CLASSES or not np.array_equal(values, held_out_values):
        counts = f"those to learn from have {len(values)}, the held-out ones {len(held_out_values)}"
        raise InputError(
            "invalid-training-data", f"svc is for labels with two values, both of them held out too; {counts}", ("learner",)
        )
    return float(values[0]), float(values[1])


def _with_both_classes(rows: Int64s, y: Float64s, classes: tuple[float, float]) -> Int64s:
    """Rows of a search, with the first row of a rare class that they lack."""
    first = [int(np.argmax(y == value)) for value in classes if not (y[rows] == value).any()]
    return np.sort(np.append(rows, np.array(first, np.int64)))


def _grid(search: str) -> Sequence[Point]:
    points = SEEDS_GRID if search == "seeds" else GRID
    return tuple(dict.fromkeys((c, gamma) for c, gamma, _ in points))


def _fit(
    data: StandardisedRows, rows: Int64s, classes: tuple[float, float], is_balanced: bool, point: Point, journal: Journal
) -> SupportVectorClassifier:
    from sklearn.svm import SVC

    c, gamma = point
    low, high = classes

    def fit() -> dict[str, Float64s]:
        svc = SVC(C=c, gamma=gamma, class_weight="balanced" if is_balanced else None, cache_size=500)
        svc.fit(data.x[rows], data.y[rows] == high)
        return {"support": svc.support_, "coefficients": svc.dual_coef_[0], "intercept": svc.intercept_}

    arrays = recall_named(journal, fit)
    vectors = data.x[rows[arrays["support"].astype(np.int64)]]
    # A decision has no variance; 1 stands in the place of that of a regression.
    decision = SupportVectors(vectors, arrays["coefficients"], float(arrays["intercept"][0]), gamma, 1.0)
    sigmoid = fit_sigmoid(decision.means(data.held_x), data.held_y == high, is_balanced)
    return SupportVectorClassifier(decision, *sigmoid, low, high)


def fit_sigmoid(decisions: Float64s, is_high: Bools, balanced: bool) -> tuple[float, float]:
    """Slope and offset of ``P(high) = 1 / (1 + exp(slope · f + offset))`` by maximum likelihood, with Platt's targets (1999).

    `balanced` gives both classes the same weight, as the classifier has then.
    """
    from scipy.optimize import minimize

    counts = np.array([(~is_high).sum(), is_high.sum()], np.float64)
    targets = np.where(is_high, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2))
    weights = len(is_high) / (2 * counts)[is_high.astype(np.int64)] if balanced else np.ones(len(is_high))
    # Decisions of any size have an optimum of moderate size.
    size = max(float(np.abs(decisions).max()), 1e-12)
    f = decisions / size

    def loss(parameters: Float64s) -> tuple[float, Float64s]:
        z = parameters[0] * f + parameters[1]
        p = 0.5 - 0.5 * np.tanh(0.5 * z)
        by_z = weights * (targets - p)
        value = weights @ (targets * np.logaddexp(0.0, z) + (1.0 - targets) * np.logaddexp(0.0, -z))
        return float(value), np.array([by_z @ f, by_z.sum()])

    start = np.array([0.0, np.log((counts[0] + 1) / (counts[1] + 1))])
    slope, offset = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-6}).x
    return float(slope / size), float(offset)
