"""Agreement with people against SciPy, the digests' examples and definitions spelt out pair by pair."""

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from app.metrics.meta_evaluation.correlation import AGREEMENTS, PairwiseAccuracy, pairwise_accuracy, pearson, spearman
from app.metrics.meta_evaluation.differences import permutation_test, williams_test

SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2)), min_size=2, max_size=25)


def measure(name: str, human: list[float], metric: list[float], groups: list[int] | None = None) -> float:
    places = np.array(groups or [0] * len(human), np.int64)
    return AGREEMENTS[name].measure(np.array(human, float), np.array(metric, float), places)


@given(SCORES)
def test_correlations_are_scipys(rows: list[tuple[int, int, int]]) -> None:
    a, b = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows], float)
    if np.ptp(a) and np.ptp(b):
        assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b)[0], abs=1e-9)
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b)[0], abs=1e-9)
        assert measure("tau-b", a.tolist(), b.tolist()) == pytest.approx(stats.kendalltau(a, b)[0], abs=1e-9)


@given(SCORES)
def test_pairwise_measures_pair_by_pair(rows: list[tuple[int, int, int]]) -> None:
    pairs = [(a[0] - b[0], a[1] - b[1]) for a, b in combinations(rows, 2) if a[2] == b[2]]
    human, metric, groups = ([row[k] for row in rows] for k in range(3))
    right = sum(h * m > 0 for h, m in pairs)
    wrong = sum(h * m < 0 for h, m in pairs)
    metric_ties = sum(h != 0 and m == 0 for h, m in pairs)
    both = sum(h == 0 and m == 0 for h, m in pairs)
    expected = {
        "tau-a": (right - wrong, len(pairs)),
        "tau-wmt09": (right - wrong - metric_ties, right + wrong + metric_ties),
        "tau-wmt14": (right - wrong, right + wrong + metric_ties),
        "tau-no-ties": (right - wrong, right + wrong),
        "kappa-uniform": (right + both - len(pairs) / 3, 2 / 3 * len(pairs)),
    }
    for name, (top, bottom) in expected.items():
        assert measure(name, human, metric, groups) == pytest.approx(top / bottom if bottom else 0.0), name
    by_group = [
        [(a[0] - b[0], a[1] - b[1]) for a, b in combinations([row for row in rows if row[2] == group], 2)] for group in set(groups)
    ]

    def accuracy(epsilon: float) -> float:
        shares = [np.mean([(h == 0) if abs(m) <= epsilon else h * m > 0 for h, m in part]) for part in by_group if part]
        return float(np.mean(shares)) if shares else 0.0

    found = pairwise_accuracy(np.array(human, float), np.array(metric, float), np.array(groups))
    assert measure("accuracy", human, metric, groups) == pytest.approx(accuracy(0.0))
    assert found.accuracy == pytest.approx(max(accuracy(e) for e in {0, *(abs(m) for _, m in pairs)}))
    assert accuracy(found.epsilon) == pytest.approx(found.accuracy)


@given(SCORES)
def test_kappa_is_scikit_learns_over_both_orders_of_each_pair(rows: list[tuple[int, int, int]]) -> None:
    pairs = [
        (a, b) for first, second in combinations(rows, 2) if first[2] == second[2] for a, b in ((first, second), (second, first))
    ]
    human, metric = ([np.sign(a[side] - b[side]) for a, b in pairs] for side in (0, 1))
    found = measure("kappa", *([row[k] for row in rows] for k in range(3)))
    if len(set(human) | set(metric)) > 1:
        assert found == pytest.approx(cohen_kappa_score(human, metric))
    else:
        assert found == 0


def test_kappa_of_the_digest() -> None:
    # P(A) = .608 with a chance of one third.
    human, metric = [0.0, 1.0] * 1000, [0.0, 1.0] * 608 + [1.0, 0.0] * 392
    assert measure("kappa-uniform", human, metric, [k // 2 for k in range(2000)]) == pytest.approx(0.412)


def test_calibrated_accuracy_has_the_values_of_mt_metrics_eval() -> None:
    """Values in `tau_optimization_test.py` of mt-metrics-eval, without its missing scores."""
    assert pairwise_accuracy(np.array([1.0, 1, 1, 4]), np.array([0.0, 2, 6, 8]), np.zeros(4, np.int64)) == PairwiseAccuracy(
        4 / 6, 4.0
    )
    rows = [
        ([0, 5, 2, 3, 2], [1, 5, 2, 1, 1]),
        ([2, 1, 5, 3], [2, 2, 1, 4]),
        ([9, 1, 5, 3, 8], [5, 9, 2, 8, 7]),
        ([9, 3, 4, 1], [7, 6, 3, 2]),
    ]
    metric, human = (np.array([score for row in rows for score in row[side]], float) for side in (0, 1))
    found = pairwise_accuracy(human, metric, np.repeat(np.arange(4), [5, 4, 5, 4]))
    assert found.accuracy == pytest.approx(0.4916666666666668) and found.epsilon == 1


def test_counts_of_pairs_grow_with_n_log_n() -> None:
    rng = np.random.default_rng(3)
    human, groups = rng.normal(size=50_000), np.zeros(50_000, np.int64)
    metric = human + rng.normal(size=50_000)
    begin_time = time.perf_counter()
    values = [AGREEMENTS[name].measure(human, metric, groups) for name in ("tau-b", "darr", "accuracy", "accuracy-calibrated")]
    # All 1.2 billion pairs one by one would take five seconds, and 10 GB for their gaps.
    assert time.perf_counter() - begin_time < 3
    assert values[0] == pytest.approx(stats.kendalltau(human, metric)[0]) and values[2] == values[3]


def test_examples_of_the_digests() -> None:
    assert measure("spearman", [1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) == pytest.approx(0.8)
    # Ranks 1 best: turned round. One human tie and one metric tie drop out; 5 against 3.
    assert measure("tau-no-ties", [-1, -2, -2, -4, -5], [0.5, 0.8, 0.7, 0.7, 0.1]) == pytest.approx(0.25)
    assert measure("darr", [90, 60, 50, 10], [3, 2, 2, 1]) == pytest.approx(1.0)
    assert measure("darr", [90, 60], [1, 1]) == -1.0


def test_williams_against_its_formula_and_chance() -> None:
    rng = np.random.default_rng(5)
    human = rng.normal(size=200)
    good, poor = human + rng.normal(size=200), human + 4 * rng.normal(size=200)
    assert williams_test(human, good, poor) < 0.001 < 0.99 < williams_test(human, poor, good)
    assert williams_test(human, good, good) == 1.0
    # By hand: r12 = .6, r13 = .4, r23 = .5, n = 40.
    r12, r13, r23, n = 0.6, 0.4, 0.5, 40
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / (2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3))
    made = np.linalg.cholesky([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    base = rng.normal(size=(40, 3))
    base = (base - base.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(base.T, bias=True))).T
    columns = base @ made.T
    assert williams_test(*columns.T) == pytest.approx(stats.t.sf(t, n - 3))


def test_permutation_test_sees_a_difference_and_none() -> None:
    rng = np.random.default_rng(9)
    human = rng.normal(size=150)
    good, poor = human + 0.5 * rng.normal(size=150), rng.normal(size=150)
    groups = np.zeros(150, np.int64)
    assert permutation_test(AGREEMENTS["pearson"], human, good, poor, groups, 200) < 0.02
    assert permutation_test(AGREEMENTS["pearson"], human, good, good, groups, 200) == 1.0
