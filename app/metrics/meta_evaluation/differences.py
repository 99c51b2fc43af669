"""Tests of the difference of two metrics' agreement with people: Williams' test and the permutation test."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.correlation import AgreementMeasure, pearson
from app.running.deadline import check_deadline

__all__ = ["TRIALS", "permutation_test", "williams_test"]

TRIALS: Final = 1000


def williams_test(human: Float64s, metric: Float64s, rival: Float64s) -> float:
    """One-sided p-value for a higher Pearson correlation with `human` of `metric` than of `rival` (Williams 1959).

    The test follows Graham and Baldwin (2014) and needs more than three judgements. Without variance to test, the p-value is 0 if
    `metric` correlates better, else 1.
    """
    n = len(human)
    r12, r13, r23 = pearson(human, metric), pearson(human, rival), pearson(metric, rival)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    spread = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3 if n > 3 else 0.0
    if spread <= 1e-15:
        return 1.0 if r12 <= r13 else 0.0
    from scipy.stats import t as student

    value = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / spread)
    return float(student.sf(value, n - 3))


def permutation_test(
    agreement: AgreementMeasure,
    human: Float64s,
    metric: Float64s,
    rival: Float64s,
    groups: Int64s,
    trials: int = TRIALS,
    seed: int = 12345,
) -> float:
    """Two-sided p-value: the share of random swaps of the two metrics' standardised scores with a larger difference."""
    a, b = _standardised(metric), _standardised(rival)
    observed = abs(agreement.measure(human, a, groups) - agreement.measure(human, b, groups))
    rng = np.random.default_rng(seed)
    larger = 0
    for _ in range(trials):
        check_deadline()
        swap = rng.integers(2, size=len(human), dtype=bool)
        x, y = np.where(swap, b, a), np.where(swap, a, b)
        difference = abs(agreement.measure(human, x, groups) - agreement.measure(human, y, groups))
        larger += difference >= observed - 1e-12
    return (larger + 1) / (trials + 1)


def _standardised(scores: Float64s) -> Float64s:
    deviation = scores.std()
    return np.asarray((scores - scores.mean()) / (deviation if deviation > 0 else 1.0))
