"""Training objectives of linear metrics: ranking, regression, corpus level, both levels at once, self-training.

scikit-learn and scipy are imported inside functions, so that what only names the objectives does not load them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s

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
ITERATIONS: Final = 500


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


def fit_ranking(differences: Float64s, cost: float, seed: int) -> Float64s:
    """Weights of a linear SVM (squared hinge, no intercept) on mirrored differences."""
    x, y = _mirrored(differences)
    from sklearn.svm import LinearSVC

    learner = LinearSVC(C=cost, fit_intercept=False, dual=False, tol=1e-6, max_iter=10000, random_state=seed)
    return np.asarray(learner.fit(x, y).coef_[0], np.float64)


def fit_logistic_ranking(differences: Float64s) -> Float64s:
    """Weights of a logistic regression with a very small ridge on mirrored differences (BEER 1.1)."""
    x, y = _mirrored(differences)
    from sklearn.linear_model import LogisticRegression

    # Newton's method: features overlap so much that first-order methods stop far from the minimum.
    learner = LogisticRegression(C=1.0 / RIDGE, fit_intercept=False, solver="newton-cholesky", tol=1e-6, max_iter=200)
    return np.asarray(learner.fit(x, y).coef_[0], np.float64)


def _mirrored(differences: Float64s) -> tuple[Float64s, Float64s]:
    return np.concatenate([differences, -differences]), np.repeat([1.0, -1.0], len(differences))


def fit_regression(values: Float64s, labels: Float64s, cost: float, tube: float, seed: int) -> tuple[Float64s, float]:
    """Weights and intercept of a linear SVM regression (ε-insensitive, `tube` wide)."""
    from sklearn.svm import LinearSVR

    learner = LinearSVR(C=cost, epsilon=tube, intercept_scaling=10.0, tol=1e-4, max_iter=50000, random_state=seed)
    learner.fit(values, labels)
    return np.asarray(learner.coef_, np.float64), float(np.asarray(learner.intercept_).ravel()[0])


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


def fit_joint(differences: Float64s, pairs: Sequence[CorpusPair], start: Float64s, ridge: float = 1e-4) -> tuple[Float64s, float]:
    """Weights and bias that minimise `joint_loss` plus a ridge, from `start` (the bias last) by L-BFGS."""

    def objective(weights: Float64s) -> tuple[float, Float64s]:
        loss, gradient = joint_loss(weights, differences, pairs)
        pull = np.append(weights[:-1], 0.0)
        return loss + ridge / 2 * float(pull @ pull), gradient + ridge * pull

    from scipy.optimize import minimize

    optimum = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(optimum.x[:-1], np.float64), float(optimum.x[-1])


def label_by_model(weights: Float64s, one: Float64s, other: Float64s) -> Float64s:
    """Differences of unjudged pairs, labelled by the model: the higher score is the better (self-training, section 6.3.1)."""
    differences = one - other
    return np.asarray(differences * np.where(differences @ weights >= 0, 1.0, -1.0)[:, None])
