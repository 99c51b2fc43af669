"""Training of corrections: a Gaussian process over the residuals of another predictor."""

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from app.arrays import Float64s
from app.predictors.learners.adapted.corrected import CorrectedRegressor
from app.predictors.learners.gp.evidence import Prior, TaskRows, sparse_evidence
from app.predictors.learners.gp.fitting import draw_inputs
from app.predictors.learners.gp.kernels import Kernel, Term
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.regressor import Regressor

__all__ = ["fit_correction"]

# With more rows than this the correction is a sparse process.
MOST_EXACT: Final = 1000
INDUCING: Final = 200
# The share of the correction's variance that is linear in the features; the rest is smooth.
LINEAR: Final = 1 / 7
# Weight of the base's mean, in labels: few enough for twenty labels to find a shifted scale.
LABELS_OF_MEAN: Final = 5


def fit_correction(learner: str, base: Regressor, x: Float64s, y: Float64s, strength: float, seed: int) -> CorrectedRegressor:
    """Fit a shift, and a process over the remaining residuals of standardised features (n, k) and labels (n,).

    `strength` is the variance of the correction, in variances of the noise, which follows from the rows; near 0 only the mean is
    corrected. Length scales are not fitted, since the evidence of twenty rows says nothing of them. `learner` is the name of the
    base's learner.
    """
    residuals = y - base.means(x)
    shift = float(residuals.sum() / (len(residuals) + LABELS_OF_MEAN))
    rows = TaskRows.single(x, residuals - shift)
    k = x.shape[1]
    smooth = Term("rbf", strength * (1 - LINEAR), np.full(k, np.sqrt(k)), True)
    line = Term("linear", 1.0, np.full(k, np.sqrt(k / (strength * LINEAR))), True)
    kernel = Kernel((smooth, line))
    if len(y) <= MOST_EXACT:
        inducing = x
        factor = cho_factor(kernel.covariance(x, x) + np.eye(len(y)), lower=True, overwrite_a=True, check_finite=False)
        weights, precision = cho_solve(factor, rows.y), cho_solve(factor, np.eye(len(y)))
    else:
        inducing, task = draw_inputs(rows, INDUCING, seed)[1]
        evidence = sparse_evidence(Prior(kernel, None, np.zeros(1)), rows, inducing, task)
        weights, precision = evidence.weights, evidence.precision
    # All variances are in units of the noise until here; the noise that makes the rows likeliest has a closed form.
    remainder = rows.y - kernel.covariance(x, inducing) @ weights
    noise = max(float(rows.y @ remainder) / len(y), 1e-6)
    scaled_kernel = Kernel(
        (replace(smooth, variance=smooth.variance * noise), replace(line, lengths=line.lengths / np.sqrt(noise)))
    )
    # Exactly symmetric, since only a triangle is stored.
    precision = (precision + precision.T) / (2 * noise)
    return CorrectedRegressor(learner, base, shift, GaussianProcess(scaled_kernel, inducing, weights / noise, precision, noise))
