"""Training objectives of linear metrics: ranking, regression, corpus level, joint, self-training.

L-BFGS minimises all objectives within the bounds of the laws of metrics. Functions import
scikit-learn and scipy, so that modules that only list the objectives do not load them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.learnt.laws import Laws
from app.metrics.meta_evaluation.correlation import pairs_inside

__all__ = [
    "CorpusPair",
    "corpus_loss",
    "difference_vectors",
    "fit_joint",
    "fit_logistic_ranking",
    "fit_output",
    "fit_ranking",
    "fit_regression",
    "joint_loss",
    "label_by_model",
    "sentence_loss",
]

RIDGE: Final = 1e-8
ITERATIONS: Final = 3000
# Smallest margin of a reference over its damaged version, as a share of the margin between judged translations.
MARGIN: Final = 0.01
# Costs of a broken law, tried in this order until no law is broken.
STRENGTHS: Final = (1e2, 1e3, 1e4, 1e5, 1e6)
# Function from weights (the bias last) to the value of a loss and its gradient.
Loss = Callable[[Float64s], tuple[float, Float64s]]


def difference_vectors(values: Float64s, labels: Float64s, groups: Int64s) -> Float64s:
    """``φ(better) - φ(worse)`` of every pair inside a group with different labels; shape (pairs, k). Higher labels are better."""
    first, second = pairs_inside(groups)
    sign = np.sign(labels[first] - labels[second])
    first, second, sign = first[sign != 0], second[sign != 0], sign[sign != 0]
    return np.asarray(sign[:, None] * (values[first] - values[second]))


def fit_ranking(differences: Float64s, cost: float, laws: Laws | None = None) -> Float64s:
    """Weights (k,) of a linear SVM (squared hinge, no intercept) on differences."""
    ridge = 1.0 / (cost * len(differences))

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        slopes = weights[:-1]
        shortfall = np.maximum(1.0 - differences @ slopes, 0.0)
        gradient = ridge * slopes - 2.0 * (shortfall @ differences) / len(differences)
        return ridge / 2 * float(slopes @ slopes) + float(shortfall @ shortfall) / len(differences), np.append(gradient, 0.0)

    return _fitted(loss, differences.shape[1], laws, MARGIN)[:-1]


def fit_logistic_ranking(differences: Float64s, laws: Laws | None = None) -> Float64s:
    """Weights (k,) of a logistic regression with a small ridge on differences (BEER 1.1)."""

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        slopes = weights[:-1]
        raw = differences @ slopes
        value = float(np.logaddexp(0.0, -raw).mean()) + RIDGE / 2 * float(slopes @ slopes)
        gradient = RIDGE * slopes - _sigmoid(-raw) @ differences / len(differences)
        return value, np.append(gradient, 0.0)

    return _fitted(loss, differences.shape[1], laws, MARGIN)[:-1]


def fit_regression(
    values: Float64s, labels: Float64s, cost: float, tube: float, laws: Laws | None = None
) -> tuple[Float64s, float]:
    """Weights (k,) and intercept of a linear SVM regression (squared loss beyond a tube of half-width `tube`)."""
    ridge = 1.0 / (cost * len(labels))

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        slopes = weights[:-1]
        error = values @ slopes + weights[-1] - labels
        excess = np.sign(error) * np.maximum(np.abs(error) - tube, 0.0)
        gradient = ridge * slopes + 2.0 * (excess @ values) / len(labels)
        value = ridge / 2 * float(slopes @ slopes) + float(excess @ excess) / len(labels)
        return value, np.append(gradient, 2.0 * excess.mean())

    start = np.append(np.zeros(values.shape[1]), labels.mean())
    weights = _fitted(loss, values.shape[1], laws, MARGIN * float(labels.std()), start)
    return weights[:-1], float(weights[-1])


def _fitted(loss: Loss, features: int, laws: Laws | None, margin: float, start: Float64s | None = None) -> Float64s:
    """Weights that minimise a loss and break no law if such weights are found; the bias is last."""
    laws = Laws(np.empty((0, features)), *[np.empty(0, np.bool_)] * 2) if laws is None else laws
    weights = np.zeros(features + 1) if start is None else start
    bounds = [*laws.bounds, (None, None)]

    from scipy.optimize import minimize

    for strength in STRENGTHS:

        def objective(point: Float64s, strength: float = strength) -> tuple[float, Float64s]:
            value, gradient = loss(point)
            cost, pull = laws.penalty(point[:-1], margin)
            return value + strength * cost, gradient + strength * np.append(pull, 0.0)

        options = {"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "ftol": 1e-10, "gtol": 1e-8}
        weights = np.asarray(minimize(objective, weights, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)
        if not laws.broken(weights[:-1]):
            break
    return weights


def fit_output(raw: Float64s, labels: Float64s, seed: int) -> tuple[float, float]:
    """Slope and intercept from raw scores (n,) to labels (n,), by squared ε-insensitive regression (BEER 2.0)."""
    from sklearn.svm import LinearSVR

    learner = LinearSVR(C=1.0, epsilon=0.01, loss="squared_epsilon_insensitive", dual=False, intercept_scaling=10.0, random_state=seed)  # fmt: skip  # noqa: E501
    learner.fit(raw[:, None], labels)
    return float(learner.coef_[0]), float(np.asarray(learner.intercept_).ravel()[0])


@dataclass(frozen=True)
class CorpusPair:
    """Features (n, k) of two systems on a test set; `winner` has the human score that is higher by `margin`, which is above 0."""

    winner: Float64s
    loser: Float64s
    margin: float


def _sigmoid(x: Float64s) -> Float64s:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -500, 500))))


def sentence_loss(weights: Float64s, differences: Float64s) -> tuple[float, Float64s]:
    """Mean of ``max(0, 1 - w · Δφ)`` and its gradient; the bias is last in `weights` and cancels."""
    margins = 1.0 - differences @ weights[:-1]
    active = margins > 0
    gradient = np.zeros(len(weights))
    gradient[:-1] = -differences[active].sum(0) / len(differences)
    return float(margins[active].sum() / len(differences)), gradient


def corpus_loss(weights: Float64s, pair: CorpusPair) -> tuple[float, Float64s]:
    """``max(0, Δhuman - Δcorp)`` of one pair of systems and its gradient (thesis on permutation trees, 6.9-6.12)."""
    gradients, scores = [], []
    for values in (pair.winner, pair.loser):
        with_bias = np.column_stack([values, np.ones(len(values))])
        score = _sigmoid(with_bias @ weights)
        scores.append(float(score.mean()))
        gradients.append((score * (1 - score)) @ with_bias / len(values))
    loss = pair.margin - (scores[0] - scores[1])
    if loss <= 0:
        return 0.0, np.zeros(len(weights))
    return loss, np.asarray(gradients[1] - gradients[0])


def joint_loss(weights: Float64s, differences: Float64s, pairs: Sequence[CorpusPair]) -> tuple[float, Float64s]:
    """Mean of sentence loss and mean corpus loss, with its gradient. Without data for one loss, the rest counts alone."""
    parts = []
    if len(differences):
        parts.append(sentence_loss(weights, differences))
    if pairs:
        corpus_losses = [corpus_loss(weights, pair) for pair in pairs]
        parts.append((float(np.mean([loss for loss, _ in corpus_losses])), np.mean([g for _, g in corpus_losses], axis=0)))
    return float(np.mean([loss for loss, _ in parts])), np.asarray(np.mean([g for _, g in parts], axis=0))


def fit_joint(
    differences: Float64s, pairs: Sequence[CorpusPair], start: Float64s, ridge: float = 1e-4, laws: Laws | None = None
) -> tuple[Float64s, float]:
    """Weights (k,) and bias that minimise `joint_loss` plus a ridge, from `start` (the bias last)."""

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        value, gradient = joint_loss(weights, differences, pairs)
        pull = np.append(weights[:-1], 0.0)
        return value + ridge / 2 * float(pull @ pull), gradient + ridge * pull

    weights = _fitted(loss, len(start) - 1, laws, MARGIN, start)
    return weights[:-1], float(weights[-1])


def label_by_model(weights: Float64s, first: Float64s, second: Float64s) -> Float64s:
    """Differences of unjudged pairs, better less worse by the model's scores (Stanojević's thesis, section 6.3.1)."""
    differences = first - second
    return np.asarray(differences * np.where(differences @ weights >= 0, 1.0, -1.0)[:, None])
