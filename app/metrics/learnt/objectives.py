"""Training objectives of linear metrics: ranking, regression, corpus level, both levels at once, self-training.

All are minimised by L-BFGS within the bounds that the laws of metrics set. scikit-learn and scipy are imported inside functions, so
that what only names the objectives does not load them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.learnt.laws import Laws

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
# A reference must be this much better than the same damaged, in shares of what separates judged translations: enough to see.
MARGIN: Final = 0.01
# How much a law that is broken costs; more where it is broken all the same.
STRENGTHS: Final = (1e2, 1e3, 1e4, 1e5, 1e6)
# The value of a loss and its gradient at some weights, the bias last.
Loss = Callable[[Float64s], tuple[float, Float64s]]


def difference_vectors(values: Float64s, labels: Float64s, groups: Int64s) -> Float64s:
    """``φ(better) - φ(worse)`` of every pair inside a group with different labels (higher is better); ties give none."""
    rows = []
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order])) + 1
    for members in np.split(order, ends):
        a, b = (members[index] for index in np.triu_indices(len(members), 1))
        sign = np.sign(labels[a] - labels[b])
        rows.append((sign[:, None] * (values[a] - values[b]))[sign != 0])
    return np.concatenate(rows) if rows else np.empty((0, values.shape[1]))


def fit_ranking(differences: Float64s, cost: float, laws: Laws | None = None) -> Float64s:
    """Weights of a linear SVM (squared hinge, no intercept) on differences."""
    ridge = 1.0 / (cost * len(differences))

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        own = weights[:-1]
        short = np.maximum(1.0 - differences @ own, 0.0)
        gradient = ridge * own - 2.0 * (short @ differences) / len(differences)
        return ridge / 2 * float(own @ own) + float(short @ short) / len(differences), np.append(gradient, 0.0)

    return _fitted(loss, differences.shape[1], laws, MARGIN)[:-1]


def fit_logistic_ranking(differences: Float64s, laws: Laws | None = None) -> Float64s:
    """Weights of a logistic regression with a very small ridge on differences (BEER 1.1)."""

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        own = weights[:-1]
        raw = differences @ own
        value = float(np.logaddexp(0.0, -raw).mean()) + RIDGE / 2 * float(own @ own)
        gradient = RIDGE * own - _sigmoid(-raw) @ differences / len(differences)
        return value, np.append(gradient, 0.0)

    return _fitted(loss, differences.shape[1], laws, MARGIN)[:-1]


def fit_regression(
    values: Float64s, labels: Float64s, cost: float, tube: float, laws: Laws | None = None
) -> tuple[Float64s, float]:
    """Weights and intercept of a linear SVM regression (squared loss beyond a tube of that width)."""
    ridge = 1.0 / (cost * len(labels))

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        own = weights[:-1]
        error = values @ own + weights[-1] - labels
        beyond = np.sign(error) * np.maximum(np.abs(error) - tube, 0.0)
        gradient = ridge * own + 2.0 * (beyond @ values) / len(labels)
        value = ridge / 2 * float(own @ own) + float(beyond @ beyond) / len(labels)
        return value, np.append(gradient, 2.0 * beyond.mean())

    start = np.append(np.zeros(values.shape[1]), labels.mean())
    weights = _fitted(loss, values.shape[1], laws, MARGIN * float(labels.std()), start)
    return weights[:-1], float(weights[-1])


def _fitted(loss: Loss, features: int, laws: Laws | None, margin: float, start: Float64s | None = None) -> Float64s:
    """What minimises a loss and breaks no law, as far as any weights do; the bias is last."""
    laws = Laws(np.empty((0, features)), np.empty(0, np.bool_)) if laws is None else laws
    weights = np.zeros(features + 1) if start is None else start
    bounds = [*laws.bounds, (None, None)]

    from scipy.optimize import minimize

    for strength in STRENGTHS:

        def objective(at: Float64s, strength: float = strength) -> tuple[float, Float64s]:
            value, gradient = loss(at)
            cost, pull = laws.penalty(at[:-1], margin)
            return value + strength * cost, gradient + strength * np.append(pull, 0.0)

        options = {"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "ftol": 1e-10, "gtol": 1e-8}
        weights = np.asarray(minimize(objective, weights, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)
        if not laws.broken(weights[:-1]):
            break
    return weights


def fit_output(raw: Float64s, labels: Float64s, seed: int) -> tuple[float, float]:
    """Slope and intercept from raw scores to judgements, by squared ε-insensitive regression (BEER 2.0)."""
    from sklearn.svm import LinearSVR

    learner = LinearSVR(C=1.0, epsilon=0.01, loss="squared_epsilon_insensitive", dual=False, intercept_scaling=10.0, random_state=seed)  # fmt: skip  # noqa: E501
    learner.fit(raw[:, None], labels)
    return float(learner.coef_[0]), float(np.asarray(learner.intercept_).ravel()[0])


@dataclass(frozen=True)
class CorpusPair:
    """Two systems' features on the same test set, the one that people prefer first, and by how much (Δhuman > 0)."""

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
    """Half the sentence loss and half the mean corpus loss; with nothing of one kind, the other alone."""
    parts = []
    if len(differences):
        parts.append(sentence_loss(weights, differences))
    if pairs:
        of_pairs = [corpus_loss(weights, pair) for pair in pairs]
        parts.append((float(np.mean([loss for loss, _ in of_pairs])), np.mean([g for _, g in of_pairs], axis=0)))
    return float(np.mean([loss for loss, _ in parts])), np.asarray(np.mean([g for _, g in parts], axis=0))


def fit_joint(
    differences: Float64s, pairs: Sequence[CorpusPair], start: Float64s, ridge: float = 1e-4, laws: Laws | None = None
) -> tuple[Float64s, float]:
    """Weights and bias that minimise `joint_loss` plus a ridge, from `start` (the bias last)."""

    def loss(weights: Float64s) -> tuple[float, Float64s]:
        value, gradient = joint_loss(weights, differences, pairs)
        pull = np.append(weights[:-1], 0.0)
        return value + ridge / 2 * float(pull @ pull), gradient + ridge * pull

    weights = _fitted(loss, len(start) - 1, laws, MARGIN, start)
    return weights[:-1], float(weights[-1])


def label_by_model(weights: Float64s, one: Float64s, other: Float64s) -> Float64s:
    """Differences of unjudged pairs, labelled by the model: the higher score is the better (self-training, section 6.3.1)."""
    differences = one - other
    return np.asarray(differences * np.where(differences @ weights >= 0, 1.0, -1.0)[:, None])
