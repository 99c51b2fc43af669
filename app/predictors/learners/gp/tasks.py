"""Covariance between jointly learned tasks: language pairs, systems, annotators or labels.

The settings of SHEF-Lite 2.0 (Beck et al. 2014, after Cohn and Specia 2013), and the linear model of coregionalisation of any
rank (Bonilla et al. 2008).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError

__all__ = ["TASK_SHARING", "TaskCovariance"]

TASK_SHARING: Final[Mapping[str, str]] = {
    "independent": "B = I: nothing is shared",
    "pooled": "B = 1: all tasks are one",
    "combined": "B = 1 + αI: one strength of what is a task's own",
    "combined+": "B = 1 + diag(α): one strength per task",
    "rank": "B = WWᵀ + diag(κ), W with the given number of columns",
}
FIRST_STRENGTH: Final = 0.5


@dataclass(frozen=True)
class TaskCovariance:
    """``B`` (tasks, tasks): positive definite, from few parameters.

    `logarithms` are of α or κ; `weights` W (tasks, rank) of ``rank`` are optimised as they are.
    """

    sharing: str
    tasks: int
    logarithms: Float64s
    weights: Float64s

    @classmethod
    def initial(cls, sharing: str, tasks: int, rank: int = 1, seed: int = 12345) -> "TaskCovariance":
        """The start of an optimisation; the InputError lists the settings."""
        if sharing not in TASK_SHARING:
            raise InputError("invalid-training-data", f"tasks are shared as {', '.join(TASK_SHARING)}", ("learner",))
        strengths = {"combined": 1, "combined+": tasks, "rank": tasks}.get(sharing, 0)
        # All tasks alike at first, with a little noise, so that columns of W can part.
        weights = np.ones((tasks, rank)) / np.sqrt(rank) if sharing == "rank" else np.zeros((tasks, 0))
        if sharing == "rank" and rank > 1:
            weights += 0.1 * np.random.default_rng(seed).standard_normal(weights.shape)
        return cls(sharing, tasks, np.full(strengths, np.log(FIRST_STRENGTH)), weights)

    def matrix(self) -> Float64s:
        """``B``; shape (tasks, tasks)."""
        if self.sharing == "independent":
            return np.eye(self.tasks)
        task_variances = np.exp(self.logarithms) if len(self.logarithms) else np.zeros(1)
        shared = self.weights @ self.weights.T if self.sharing == "rank" else np.ones((self.tasks, self.tasks))
        return np.asarray(shared + np.diag(np.broadcast_to(task_variances, self.tasks)))

    def parameters(self) -> Float64s:
        """Parameters of the optimisation."""
        return np.concatenate([self.logarithms, self.weights.ravel()])

    def with_parameters(self, values: Float64s) -> "TaskCovariance":
        """A copy with other parameters."""
        cut = len(self.logarithms)
        return replace(self, logarithms=values[:cut].copy(), weights=values[cut:].reshape(self.weights.shape).copy())

    def slopes(self, by_matrix: Float64s) -> Float64s:
        """Derivatives by the parameters, from those by the entries of B (tasks, tasks)."""
        task_slopes = np.diag(by_matrix) * np.exp(self.logarithms) if len(self.logarithms) == self.tasks else np.zeros(0)
        if self.sharing == "combined":
            task_slopes = np.array([np.trace(by_matrix) * np.exp(self.logarithms[0])])
        weights = ((by_matrix + by_matrix.T) @ self.weights).ravel() if self.sharing == "rank" else np.zeros(0)
        return np.concatenate([task_slopes, weights])


def block_sums(values: Float64s, rows: Int64s, columns: Int64s, tasks: int) -> Float64s:
    """Sums of `values` (n, m) over blocks of rows and columns of the same task; shape (tasks, tasks)."""
    out = np.empty((tasks, tasks))
    for task in range(tasks):
        across = values[rows == task].sum(0)
        out[task] = np.bincount(columns, weights=across, minlength=tasks)
    return out
