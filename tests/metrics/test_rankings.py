"""Bootstrap of agreements, rankings of systems and soft pairwise accuracy, against SciPy, exact enumeration and the digest."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.metrics.meta_evaluation.rankings import RankRange, clusters, rank_ranges, sign_test
from app.metrics.meta_evaluation.resampling import bootstrap_agreement
from app.metrics.meta_evaluation.soft_accuracy import pair_p_values, soft_accuracy

PEARSON, NO_TIES = AGREEMENTS["pearson"], AGREEMENTS["tau-no-ties"]


def test_intervals_of_a_correlation_are_scipys_and_fishers() -> None:
    rng = np.random.default_rng(4)
    human = rng.normal(size=400)
    metric = human + rng.normal(size=400)
    low, high = bootstrap_agreement(PEARSON, human, {"m": metric}, np.zeros(400, np.int64), 4000).interval("m")
    expected = stats.bootstrap(
        (human, metric), lambda a, b: stats.pearsonr(a, b)[0], paired=True, vectorized=False, n_resamples=4000,
        method="percentile", rng=np.random.default_rng(5),
    ).confidence_interval  # fmt: skip
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.006)
    fisher = stats.pearsonr(human, metric).confidence_interval()
    assert (low, high) == pytest.approx((fisher.low, fisher.high), abs=0.015)


def test_samples_of_groups_have_the_exact_distribution() -> None:
    """Three groups have 27 samples of equal probability; two metrics differ in one group each."""
    human, groups = np.array([1.0, 2, 1, 2, 1, 2, 3]), np.array([0, 0, 1, 1, 2, 2, 2])
    first, second = np.array([1.0, 2, 2, 1, 1, 2, 3]), np.array([2.0, 1, 1, 2, 1, 3, 2])
    resampling = bootstrap_agreement(NO_TIES, human, {"a": first, "b": second}, groups, 20_000)

    def value(metric: np.ndarray, sample: tuple[int, ...]) -> float:
        rows = [np.flatnonzero(groups == group) for group in sample]
        pairs = [(human[i] - human[j]) * (metric[i] - metric[j]) for row in rows for i, j in combinations(row, 2)]
        return (sum(pair > 0 for pair in pairs) - sum(pair < 0 for pair in pairs)) / len(pairs)

    samples = [(value(first, sample), value(second, sample)) for sample in product(range(3), repeat=3)]
    higher = np.mean([(a > b) + 0.5 * (a == b) for a, b in samples])
    assert resampling.share_higher("a", "b") == pytest.approx(higher, abs=0.015)
    assert resampling.share_higher("a", "b") + resampling.share_higher("b", "a") == pytest.approx(1)
    assert resampling.values["a"].mean() == pytest.approx(np.mean([a for a, _ in samples]), abs=0.01)
    low, high = resampling.interval("a", "b")
    assert low == pytest.approx(min(a - b for a, b in samples)) and high == pytest.approx(max(a - b for a, b in samples))


def test_the_sign_test_of_the_digest() -> None:
    assert sign_test(44, 38) == sign_test(38, 44) == pytest.approx(0.5811, abs=5e-5)
    assert sign_test(0, 0) == 1 and sign_test(5, 0) == pytest.approx(2 / 2**5)


def test_ranges_of_ranks_have_the_exact_distribution() -> None:
    """Two systems in three segments, won 2 : 1; the second is ahead where it wins two or three of three draws: 7 of 27."""
    labels, systems = np.array([2.0, 1, 2, 1, 1, 2]), np.array([0, 1] * 3)
    groups = np.repeat(np.arange(3), 2)
    assert rank_ranges(labels, groups, systems, 2) == [RankRange(1, 2), RankRange(1, 2)]
    # Won in each segment, so in each sample; the third system was never compared.
    assert rank_ranges(np.array([2.0, 1] * 3), groups, systems, 3) == [RankRange(1, 1), RankRange(2, 2), RankRange(None, None)]


def test_clusters_end_where_no_ranges_overlap() -> None:
    ranges = [(1, 2), (1, 3), (2, 3), (4, 4), (5, 7), (5, 6), (6, 7)]
    assert clusters([RankRange(*row) for row in ranges]) == [1, 1, 1, 2, 3, 3, 3]
    assert clusters([RankRange(1, 1), RankRange(None, None)]) == [1, None] and clusters([]) == []


RANGES = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)).map(lambda row: (row[0], sum(row))), min_size=1, max_size=9)


@given(RANGES)
def test_clusters_are_the_finest_ones_without_overlap(ranges: list[tuple[int, int]]) -> None:
    numbers = clusters([RankRange(*row) for row in ranges])
    ends = [all(a[1] < b[0] for a in ranges[:k] for b in ranges[k:]) for k in range(1, len(ranges))]
    assert np.diff(np.array(numbers, int)).tolist() == [int(end) for end in ends]


def test_p_values_of_pairs_approach_all_swaps() -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 4, size=(3, 8)).astype(float)
    groups, systems = np.tile(np.arange(8), 3), np.repeat(np.arange(3), 8)
    # The last system lacks a segment.
    mask = (systems != 2) | (groups != 5)
    expected = []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        differences = [a - b for k, (a, b) in enumerate(zip(scores[first], scores[second], strict=True)) if second != 2 or k != 5]
        sums = [np.dot(signs, differences) for signs in product((1, -1), repeat=len(differences))]
        expected.append(np.mean(np.array(sums) >= sum(differences)))
    found = pair_p_values(scores.ravel()[mask], groups[mask], systems[mask], 3, 20_000)
    assert found == pytest.approx(expected, abs=0.015)
    assert soft_accuracy(found, found) == 1 and soft_accuracy(np.array([0.0, 1]), np.array([0.5, 1])) == 0.75
