"""Evidence of a Gaussian process for its training rows, with analytic gradients: exact, or by inducing inputs.

Exact: the log marginal likelihood (Rasmussen and Williams 2006, 2.30 and 5.9), O(n³). Sparse: the variational lower bound
(Titsias 2009), O(n m²). Both return the weights and the variance matrix of predictions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from app.arrays import Float64s, Int64s
from app.predictors.learners.gp.kernels import Kernel
from app.predictors.learners.gp.tasks import TaskCovariance, block_sums

__all__ = ["Evidence", "Prior", "TaskRows", "exact_evidence", "sparse_evidence"]

# Added to the diagonal of covariances between inducing inputs, relative to their mean: the first with which they are definite.
JITTERS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4)


@dataclass(frozen=True)
class TaskRows:
    """Standardised features (n, k), labels (n,), and the task of each row, all 0 for one task."""

    x: Float64s
    y: Float64s
    task: Int64s

    @classmethod
    def single(cls, x: Float64s, y: Float64s) -> "TaskRows":
        """Rows of one task."""
        return cls(x, y, np.zeros(len(x), np.int64))

    def subset(self, rows: Int64s) -> "TaskRows":
        """A subset of the rows."""
        return TaskRows(self.x[rows], self.y[rows], self.task[rows])


@dataclass(frozen=True)
class Prior:
    """A kernel over features, a covariance between tasks (None for one task), and each task's noise as log σ²."""

    kernel: Kernel
    tasks: TaskCovariance | None
    log_noise: Float64s

    def parameters(self) -> Float64s:
        """All parameters in one row: kernel, tasks, noise."""
        shared = self.tasks.parameters() if self.tasks else np.zeros(0)
        return np.concatenate([self.kernel.parameters(), shared, self.log_noise])

    def with_parameters(self, values: Float64s) -> "Prior":
        """A copy with other parameters."""
        first = len(self.kernel.parameters())
        second = first + (len(self.tasks.parameters()) if self.tasks else 0)
        tasks = self.tasks.with_parameters(values[first:second]) if self.tasks else None
        return replace(self, kernel=self.kernel.with_parameters(values[:first]), tasks=tasks, log_noise=values[second:].copy())

    def scale(self, rows: Int64s, columns: Int64s) -> Float64s | None:
        """The task covariance of every row with every column, None for one task."""
        return None if self.tasks is None else self.tasks.matrix()[np.ix_(rows, columns)]


@dataclass(frozen=True)
class Evidence:
    """The log marginal likelihood (or its bound) and its derivatives; `weights` (m,), `precision` (m, m) serve predictions.

    `by_labels` (n,) is the derivative by each label, `by_inducing` (m, k) by the inducing inputs.
    """

    value: float
    by_parameters: Float64s
    by_labels: Float64s
    weights: Float64s
    precision: Float64s
    by_inducing: Float64s | None = None


def exact_evidence(prior: Prior, rows: TaskRows, pause: Callable[[], None] = lambda: None) -> Evidence:
    """The log marginal likelihood. LinAlgError for a covariance that is not positive definite.

    `pause` is called between steps of several seconds, and may raise to stop.
    """
    n = len(rows.y)
    noise = np.exp(prior.log_noise)
    covariance = prior.kernel.covariance(rows.x, rows.x)
    scale = prior.scale(rows.task, rows.task)
    total = covariance.copy() if scale is None else covariance * scale
    total[np.diag_indices(n)] += noise[rows.task]
    pause()
    # The transpose of a symmetric matrix is itself, in the order that LAPACK wants.
    lower, failed = dpotrf(total.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise LinAlgError("the covariance of the training rows is not positive definite")
    log_determinant = 2.0 * float(np.log(np.diag(lower)).sum())
    alpha = dpotrs(lower, rows.y, lower=1)[0]
    pause()
    inverse = _symmetric(dpotri(lower, lower=1, overwrite_c=1)[0])
    pause()
    value = -0.5 * float(rows.y @ alpha) - 0.5 * log_determinant - 0.5 * n * np.log(2 * np.pi)

    slope = np.multiply.outer(alpha, 0.5 * alpha)
    slope -= 0.5 * inverse
    by_noise = np.bincount(rows.task, weights=np.diag(slope), minlength=len(noise)) * noise
    by_tasks = np.zeros(0)
    if prior.tasks is not None and scale is not None:
        by_tasks = prior.tasks.slopes(block_sums(slope * covariance, rows.task, rows.task, prior.tasks.tasks))
        slope *= scale
    by_kernel = prior.kernel.slopes(rows.x, rows.x, slope, covariance=covariance).parameters
    return Evidence(value, np.concatenate([by_kernel, by_tasks, by_noise]), -alpha, alpha, inverse)


def _symmetric(lower: Float64s) -> Float64s:
    """The symmetric matrix of a lower triangle (column-major); the upper triangle is overwritten, block by block."""
    size, step = len(lower), 512
    for begin in range(0, size, step):
        end = min(begin + step, size)
        block = np.tril(lower[begin:end, begin:end])
        lower[begin:end, begin:end] = block + np.tril(block, -1).T
        lower[begin:end, end:] = lower[end:, begin:end].T
    return lower


def _cholesky(covariance: Float64s) -> Float64s:
    """The lower factor, after the smallest sufficient addition to the diagonal; LinAlgError if none suffices."""
    size, mean = len(covariance), float(np.mean(np.diag(covariance)))
    for jitter in JITTERS:
        try:
            return np.asarray(np.linalg.cholesky(covariance + np.eye(size) * (jitter * mean)))
        except np.linalg.LinAlgError:
            continue
    raise LinAlgError("the covariance of the inducing inputs is not positive definite")


def sparse_evidence(
    prior: Prior, rows: TaskRows, inducing: Float64s, inducing_task: Int64s, learn_inducing: bool = False
) -> Evidence:
    """The variational bound for inducing inputs Z (m, k), each of one task. LinAlgError as above."""
    n, m = len(rows.y), len(inducing)
    noise = np.exp(prior.log_noise)
    weight = 1.0 / noise[rows.task]
    root = np.sqrt(weight)
    within = prior.kernel.covariance(inducing, inducing)
    within_scale = prior.scale(inducing_task, inducing_task)
    kmm = within if within_scale is None else within * within_scale
    across = prior.kernel.covariance(rows.x, inducing)
    across_scale = prior.scale(rows.task, inducing_task)
    knm = across if across_scale is None else across * across_scale
    prior_diagonal = prior.kernel.diagonal(rows.x)
    own_scale = np.ones(1) if prior.tasks is None else np.diag(prior.tasks.matrix())
    knn = prior_diagonal * own_scale[rows.task]

    lower_m = _cholesky(kmm)
    projection = solve_triangular(lower_m, knm.T * root, lower=True, check_finite=False, overwrite_b=True)
    inner = projection @ projection.T
    inner[np.diag_indices(m)] += 1.0
    lower_b = np.linalg.cholesky(inner)
    scaled_labels = rows.y * root
    fit_vector = solve_triangular(lower_b, projection @ scaled_labels, lower=True, check_finite=False)
    explained_variance = np.einsum("ij,ij->j", projection, projection)
    value = float(
        -0.5 * n * np.log(2 * np.pi) - 0.5 * np.log(noise)[rows.task].sum() - np.log(np.diag(lower_b)).sum()
        - 0.5 * scaled_labels @ scaled_labels + 0.5 * fit_vector @ fit_vector - 0.5 * (knn @ weight - explained_variance.sum())
    )  # fmt: skip

    inverse_m = solve_triangular(lower_m, np.eye(m), lower=True, check_finite=False)
    inverse_b = solve_triangular(lower_b, np.eye(m), lower=True, check_finite=False)
    outer = inverse_b.T @ inverse_b
    v = inverse_m.T @ (inverse_b.T @ fit_vector)
    identity = np.eye(m)
    precision = inverse_m.T @ (identity - outer) @ inverse_m
    by_within = -0.5 * (np.outer(v, v) + inverse_m.T @ (inner - 2.0 * identity + outer) @ inverse_m)
    a = weight * (rows.y - knm @ v)
    by_across = knm @ precision
    row_products = np.einsum("ij,ij->i", by_across, knm)
    by_across *= weight[:, None]
    by_across += np.multiply.outer(a, v)
    # q_ii λ_i is `explained`; the two parts of the derivative by each row's own noise.
    by_row_noise = 0.5 * (a * a - weight + weight * (explained_variance - weight * row_products)) + 0.5 * weight * (
        weight * knn - explained_variance
    )
    by_noise = np.bincount(rows.task, weights=by_row_noise, minlength=len(noise)) * noise

    by_tasks = np.zeros(0)
    by_diagonal = -0.5 * weight
    if prior.tasks is not None and across_scale is not None and within_scale is not None:
        count = prior.tasks.tasks
        by_matrix = block_sums(by_across * across, rows.task, inducing_task, count)
        by_matrix += block_sums(by_within * within, inducing_task, inducing_task, count)
        by_matrix += np.diag(np.bincount(rows.task, weights=by_diagonal * prior_diagonal, minlength=count))
        by_tasks = prior.tasks.slopes(by_matrix)
        by_across *= across_scale
        by_within = by_within * within_scale
    first = prior.kernel.slopes(rows.x, inducing, by_across, learn_inducing, across)
    second = prior.kernel.slopes(inducing, inducing, by_within, learn_inducing, within)
    by_kernel = first.parameters + second.parameters + prior.kernel.diagonal_slopes(rows.x, by_diagonal * own_scale[rows.task])
    by_inducing = None
    if first.inputs is not None and second.inputs is not None:
        # An inducing input stands in a row and in a column of the symmetric part.
        by_inducing = first.inputs + 2.0 * second.inputs
    return Evidence(value, np.concatenate([by_kernel, by_tasks, by_noise]), -a, v, precision, by_inducing)
