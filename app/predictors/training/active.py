"""Rounds of active learning: a process of the labels so far, the next batch, and a plateau (Beck et al. 2013, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.predictors.active_learning import information_density
from app.predictors.learner import StandardisedRows
from app.predictors.learners import parse_learner
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.gp.training import train_process
from app.predictors.model import standardise
from app.running.journal import SILENT, Journal

__all__ = ["MOST_LABELS", "Round", "has_plateau", "learn_round", "next_batch", "random_batch", "standardised_pool"]

# An exact process takes the cube of its rows.
MOST_LABELS = 2000
# One length scale for all features: a scale for each gained nothing with few labels (docs/research/active-learning.md).
LEARNER = "gp|inducing:0|warp:none|ard:no"


@dataclass(frozen=True)
class Round:
    """A process of the labels so far, in the units of the pool: `x` (n, k) are its standardised features."""

    process: GaussianProcess
    x: Float64s
    label_centre: float
    label_scale: float

    @property
    def error(self) -> float:
        """Estimated error: root mean predictive variance over all rows of the pool, in the unit of the labels."""
        return float(np.sqrt(self.process.predict(self.x)[1].mean()) * self.label_scale)

    def means(self, x: Float64s) -> Float64s:
        """Predictions for standardised features; shape (n,)."""
        return np.asarray(self.process.means(x) * self.label_scale + self.label_centre)


def learn_round(x: Float64s, labels: Float64s, mask: Bools, seed: int, journal: Journal = SILENT) -> Round:
    """Learn the rows `mask` (n,) of a pool with features (n, k), standardised over the pool; other labels are not read.

    InputError if the labels are equal, or more than `MOST_LABELS`.
    """
    y = labels[mask]
    if len(y) > MOST_LABELS:
        raise InputError("invalid-training-data", f"active learning takes at most {MOST_LABELS} labels; train on them", ("labels",))
    if float(np.ptp(y)) == 0:
        raise InputError("invalid-training-data", "all labels are equal; nothing can be learned", ("labels",))
    centre, scale = float(y.mean()), float(y.std())
    rows, targets = x[mask], (y - centre) / scale
    # Other numbers of threads add in another order, and choose another batch.
    with threadpool_limits(limits=1):
        process, _, _ = train_process(StandardisedRows(rows, targets, rows, targets), parse_learner(LEARNER)[1], seed, journal)
    return Round(process, x, centre, scale)


def standardised_pool(values: Float64s) -> tuple[Float64s, Float64s, Float64s]:
    """Features (n, k) of a pool in units of its deviations, with its means and deviations (k,)."""
    scale = values.std(0)
    centre, scale = values.mean(0), np.where(scale > 0, scale, 1.0)
    return standardise(values, centre, scale), centre, scale


def random_batch(mask: Bools, count: int, seed: int) -> Int64s:
    """Random rows without a label, at most `count`: the first ones of one order of the pool."""
    order = np.random.default_rng(seed).permutation(len(mask))
    return np.asarray(order[~mask[order]][:count])


def next_batch(state: Round, mask: Bools, count: int, beta: float) -> tuple[Int64s, Float64s]:
    """Rows to label next, at most `count`, and the worth of each when it was chosen.

    Worth is the predictive variance of the label times the density in the rest of the pool to the power `beta`. Variances do not
    depend on labels, so each row is chosen as if the ones before it had labels, with the hyper-parameters of the round.
    O(count n (m + k)) for m labels.
    """
    process, x = state.process, state.x
    covariances = process.kernel.covariance(x, process.inducing)
    projection = covariances @ process.precision
    variance = np.maximum(process.kernel.diagonal(x) - (projection * covariances).sum(1), 0.0)
    rest = ~mask
    updates = np.zeros((min(count, int(rest.sum())), len(x)))
    rows: list[int] = []
    worths: list[float] = []
    for number in range(len(updates)):
        candidates = np.flatnonzero(rest)
        worth = information_density(x[candidates], variance[candidates] + process.noise_variance, beta)
        best = int(worth.argmax())
        row = int(candidates[best])
        rows.append(row)
        worths.append(float(worth[best]))
        rest[row] = False
        covariance = process.kernel.covariance(x, x[row : row + 1])[:, 0] - projection @ covariances[row]
        covariance -= updates[:number].T @ updates[:number, row]
        # No covariance exceeds the deviations, whatever rounding makes of nearly equal rows.
        bound = np.sqrt(variance * variance[row])
        covariance = np.clip(covariance, -bound, bound)
        updates[number] = covariance / np.sqrt(max(variance[row] + process.noise_variance, 1e-12))
        variance = np.maximum(variance - updates[number] ** 2, 0.0)
    return np.array(rows, np.int64), np.array(worths)


def has_plateau(errors: Sequence[float], window: int, tolerance: float) -> bool:
    """Return True if the last `window` + 1 errors lie within `tolerance` of their mean: more labels change nothing."""
    recent = errors[-window - 1 :]
    return len(recent) > window and max(recent) - min(recent) <= tolerance * sum(recent) / len(recent)
