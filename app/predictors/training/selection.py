"""Selection of features: rankings, and accuracy by the number of features.

- ``relevance`` ranks by length scales of a Gaussian process (Shah et al. 2013, MT Summit).
- ``backward`` drops the least relevant features and trains again.
- ``randomised-lasso`` counts selections on 1,000 samples of three quarters of the rows with randomly doubled penalties
  (Meinshausen and Bühlmann 2010). It selects features of a quarter of the samples.
- ``randomised-trees`` ranks by the importance in trees with random splits (Geurts et al. 2006).
- ``elimination`` repeatedly drops the smallest weight of a ridge regression (Guyon et al. 2002).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.predictors.evaluation import evaluate_predictions
from app.predictors.labels import Label
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import FitSettings, fit_process
from app.predictors.training.data import TrainingSet, split_held_out
from app.predictors.training.model import train_model
from app.running.journal import SILENT, Journal, Share

__all__ = ["METHODS", "Curve", "SelectionPoint", "rank_features", "select_features"]

# Rows of a ranking; more change it little and cost in proportion.
RANKED_ROWS: Final = 3000
INDUCING: Final = 100
# Samples of the randomised Lasso, in blocks that a journal records, and the factor of features with a doubled penalty.
SAMPLES: Final = 1000
BLOCK: Final = 50
SAMPLE_SHARE: Final = 0.75
WEAKNESS: Final = 0.5
TIE: Final = 1e-6
TREES: Final = 300
LEAF_ROWS: Final = 5
# Shares of samples that select a feature by themselves; other methods leave the number of features to measured accuracy.
SHARES: Final[Mapping[str, float]] = {"randomised-lasso": 0.25}
# Numbers of features with a measured accuracy.
SIZES: Final = (1, 2, 3, 5, 8, 12, 17, 25, 35, 50, 70, 100, 140, 200, 300)


@dataclass(frozen=True)
class SelectionPoint:
    """Accuracy with the best `features` features: on rows that choose the number, and on separate rows."""

    features: int
    pearson: float
    mae: float
    test_pearson: float
    test_mae: float


@dataclass(frozen=True)
class Curve:
    """Feature ids from the best on with their `worth` (k,), accuracy by number, and the selected number."""

    method: str
    ranking: tuple[str, ...]
    worth: Float64s
    points: tuple[SelectionPoint, ...]
    chosen: int


def _relevances(x: Float64s, y: Float64s, seed: int, journal: Journal) -> Float64s:
    return fit_process(TaskRows.single(x, y), FitSettings(inducing=INDUCING), seed, journal=journal).process().relevance()


def _backward(x: Float64s, y: Float64s, seed: int, journal: Journal) -> Float64s:
    """Backward elimination over sizes: drop the least relevant features at once, then train again."""
    remainder, worth = np.arange(x.shape[1]), np.empty(x.shape[1])
    place = 0
    for size in [size for size in reversed(SIZES) if size < x.shape[1]] + [0]:
        part = Share(journal, place / x.shape[1], (x.shape[1] - size) / x.shape[1], "ranking")
        order = np.argsort(_relevances(np.ascontiguousarray(x[:, remainder]), y, seed, part), kind="stable")
        dropped_columns = remainder[order[: len(remainder) - size]]
        worth[dropped_columns] = np.arange(place, place + len(dropped_columns))
        place += len(dropped_columns)
        remainder = np.sort(remainder[order[len(remainder) - size :]])
    return worth


def _lasso_weights(x: Float64s, y: Float64s, penalty: float) -> Float64s:
    from sklearn.linear_model import Lasso

    return np.asarray(Lasso(alpha=penalty, max_iter=10_000).fit(x, y).coef_)


def _ridge_weights(x: Float64s, y: Float64s) -> Float64s:
    from sklearn.linear_model import BayesianRidge

    return np.asarray(BayesianRidge().fit(x, y).coef_)


def _randomised_lasso(x: Float64s, y: Float64s, seed: int, journal: Journal) -> Float64s:
    """Share of samples whose Lasso gives a feature a weight other than 0; ties go to the larger weights.

    The penalty minimises Akaike's criterion on all rows.
    """
    from sklearn.linear_model import LassoLarsIC

    rng = np.random.default_rng(seed)
    penalty = float(journal.recall(lambda: np.array([LassoLarsIC(criterion="aic").fit(x, y).alpha_]))[0])
    size = int(SAMPLE_SHARE * len(y))
    counts = np.zeros(x.shape[1])
    for begin in range(0, SAMPLES, BLOCK):
        journal.report("ranking", begin / SAMPLES)
        samples = [(rng.permutation(len(y))[:size], rng.choice([WEAKNESS, 1.0], x.shape[1])) for _ in range(BLOCK)]
        counts += journal.recall(partial(_selections, x, y, samples, penalty))
    return counts / SAMPLES / (1 + TIE)


def _selections(x: Float64s, y: Float64s, samples: Sequence[tuple[Int64s, Float64s]], penalty: float) -> Float64s:
    """Number of samples that select each feature; shape (k,)."""
    counts = np.zeros(x.shape[1])
    for rows, shrink in samples:
        weights = _lasso_weights(x[rows] * shrink, y[rows], penalty)
        # Weights break ties between features that are always selected.
        counts += (weights != 0) + TIE * np.abs(weights) / (np.abs(weights).max() or 1.0)
    return counts


def _randomised_trees(x: Float64s, y: Float64s, seed: int, journal: Journal) -> Float64s:
    from sklearn.ensemble import ExtraTreesRegressor

    journal.report("ranking", 0.0)
    forest = ExtraTreesRegressor(TREES, min_samples_leaf=LEAF_ROWS, random_state=seed, n_jobs=1)
    return journal.recall(lambda: np.asarray(forest.fit(x, y).feature_importances_))


def _elimination(x: Float64s, y: Float64s, seed: int, journal: Journal) -> Float64s:
    remainder, worth = list(range(x.shape[1])), np.empty(x.shape[1])
    for place in range(x.shape[1]):
        journal.report("ranking", place / x.shape[1])
        weights = np.abs(journal.recall(partial(_ridge_weights, x[:, remainder], y)))
        dropped_place = int(np.argmin(weights))
        worth[remainder.pop(dropped_place)] = place
    return worth


METHODS: Final[Mapping[str, Callable[[Float64s, Float64s, int, Journal], Float64s]]] = {
    "relevance": lambda x, y, seed, journal: _relevances(x, y, seed, Share(journal, 0.0, 1.0, "ranking")),
    "backward": _backward,
    "randomised-lasso": _randomised_lasso,
    "randomised-trees": _randomised_trees,
    "elimination": _elimination,
}


def rank_features(rows: TrainingSet, method: str, seed: int, journal: Journal) -> tuple[Int64s, Float64s]:
    """Columns from the best on, and the worth of each by the method's measure; (k,) both."""
    if method not in METHODS:
        raise InputError("invalid-training-data", f"methods are {', '.join(METHODS)}", ("method",))
    sample = np.sort(np.random.default_rng(seed).permutation(len(rows.labels))[:RANKED_ROWS])
    values, labels = rows.values[sample], rows.labels[sample]
    scale = values.std(0)
    x = (values - values.mean(0)) / np.where(scale > 0, scale, 1.0)
    with threadpool_limits(limits=1):
        worth = METHODS[method](np.clip(x, -4, 4), (labels - labels.mean()) / labels.std(), seed, journal)
    # A constant feature is worth nothing.
    worth = np.where(scale > 0, worth, worth.min() - 1.0)
    order = np.argsort(-worth, kind="stable")
    return order, worth[order]


def select_features(
    train: TrainingSet,
    held_out: TrainingSet,
    pair: str,
    label: str | Label,
    features: Sequence[str],
    method: str,
    learner: str = "gp|inducing:100",
    seed: int = 12345,
    journal: Journal = SILENT,
) -> Curve:
    """Rank features on `train`; measure growing prefixes on `held_out`, one half of which chooses the number, the other reports.

    Selection on the reporting rows would be an oracle. The number is the smallest within one standard error of the best. The
    randomised Lasso selects its features itself.
    """
    train.check(len(features), max(20, len(features) + 2))
    held_out.check(len(features), 40)
    choosing, reporting = split_held_out(held_out, 0.5, seed)
    order, worth = rank_features(train, method, seed, Share(journal, 0.0, 0.5))
    automatic = [int(_is_selected(method, worth).sum())] if method in SHARES else []
    sizes = sorted({*(size for size in [*SIZES, *automatic] if 0 < size < len(features)), len(features)})
    points = []
    for place, size in enumerate(sizes):
        part = Share(journal, 0.5 + place / len(sizes) / 2, 0.5 + (place + 1) / len(sizes) / 2, f"{size} features")
        columns = np.sort(order[:size])
        model = train_model(
            train.columns(columns),
            choosing.columns(columns),
            pair,
            label,
            "asked",
            [features[k] for k in columns],
            learner,
            seed=seed,
            journal=part,
        )
        higher = model.label.higher_is_better
        first, second = (
            evaluate_predictions(half.labels, model.predict(half.values[:, columns]).mean, higher) for half in (choosing, reporting)
        )
        points.append(SelectionPoint(size, first.pearson, first.mae, second.pearson, second.mae))
    return Curve(
        method, tuple(features[k] for k in order), worth, tuple(points), _number(method, worth, points, len(choosing.labels))
    )


def _is_selected(method: str, worth: Float64s) -> Bools:
    """Mask of features that a method selects by itself."""
    return np.asarray(worth >= SHARES[method] / (1 + TIE))


def _number(method: str, worth: Float64s, points: Sequence[SelectionPoint], rows: int) -> int:
    """Number of features that a method selects, or that have an accuracy within one standard error of the best."""
    if method in SHARES:
        return max(1, int(_is_selected(method, worth).sum()))
    best = max(point.pearson for point in points)
    error = (1 - best**2) / np.sqrt(rows)
    return next(point.features for point in points if point.pearson >= best - error)
