"""Oracles, ranks, filters and rescoring against the worked examples of the thesis' digest and against brute force."""

import gzip
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.lists.diagnosis.feature_comparison import compare_features
from app.smt.lists.diagnosis.oracles import (
    attains,
    best_of_first,
    corpus_oracles,
    mixed_oracles,
    oracles,
    reachable,
    ties,
    top_share,
    worst,
)
from app.smt.lists.diagnosis.report import rank_counts
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.oracle_filters import measure_lists, usual_threshold
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.rescoring import RESC_PROD, RESC_SUM, mean_features, oracle_gains, rescored_by_product, rescored_by_sum
from app.text.n_best import NBestLists
from app.text.reading.n_best_lists.bars import read_n_best
from benchmarks.smt.protocols.movement import Movement, order_by, positions
from tests.conftest import SHARED
from tests.metrics.test_sbleu import FIGURE

PRINTED = np.array(list(FIGURE.values())[:10])
ONE_LIST = np.array([0, 10])
NO_FILTER = {"step": 1.0, "filter": False}


def test_the_oracle_of_the_figure_is_the_first_of_two() -> None:
    best = oracles(PRINTED, ONE_LIST)
    assert best.tolist() == [6]
    assert ties(PRINTED, ONE_LIST).tolist() == [2]
    assert (best - ONE_LIST[:-1] + 1).tolist() == [7]
    assert worst(PRINTED, ONE_LIST).tolist() == [2]
    assert best_of_first(PRINTED, ONE_LIST, 5).tolist() == [1]
    # The tenth attains what the seventh has.
    assert attains(PRINTED, ONE_LIST, np.array([9])).all()


def test_the_filters_of_the_figure() -> None:
    measured = measure_lists(PRINTED, ONE_LIST)
    assert measured.difference.tolist() == pytest.approx([0.4150432995], abs=1e-9)
    assert measured.diversity.tolist() == pytest.approx([0.7])
    equal = measure_lists(np.ones(4), np.array([0, 4]))
    assert equal.difference.tolist() == [0.0]
    assert not equal.trusted(-1, -1).any()
    assert usual_threshold(np.array([0.0, 0.0, 3.0])) == pytest.approx(0.5)


def test_mixed_oracles_of_the_other_thesis() -> None:
    """Song's thesis, digest 4.9, on values that are between 0 and 1 already and span their list."""
    offsets = np.array([0, 3])
    gains, model = np.array([0.8, 0.6, 0.3]), np.array([0.1, 0.5, 0.9])
    scaled = {share: int(mixed_oracles(gains, model, offsets, share)[0]) for share in (0.0, 1.0)}
    assert scaled == {0.0: 0, 1.0: 2}
    # Scaled in the list, the middle one has .6 and .5: it leads where these two weigh alike.
    assert mixed_oracles(gains, model, offsets, 0.5).tolist() == [1]


# Srivastava's digest 4.4.
TOY = [
    [((0, -10, -5, -4.0), 0.30), ((0, -11, -6, -3.2), 0.55), ((-1, -10.5, -5, -3.5), 0.20)],
    [((0, -8, -4, -2), 0.60), ((0, -9, -4, -2.5), 0.10)],
    [((0, -12, -7, -5), 0.25), ((0, -11.5, -6, -6.5), 0.40), ((-2, -12.5, -7, -4), 0.40)],
]
TOY_WEIGHTS = np.array([0.1, 0.5, -0.3, 0.2])


def toy() -> tuple[TuningPool, np.ndarray]:
    """The lists in the order of their scores, as a decoder gives them."""
    lists = [sorted(row, key=lambda entry: -float(np.dot(entry[0], TOY_WEIGHTS))) for row in TOY]
    features = np.array([entry[0] for row in lists for entry in row], np.float64)
    gains = np.array([entry[1] for row in lists for entry in row])
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])])
    metric = metric_named("bleu")
    pool = TuningPool(
        offsets, ("d3", "lm", "w", "tm1"), HypothesisFeatures(features), metric, np.zeros((len(gains), 10)), np.arange(3)
    )
    return pool, gains


def test_rescoring_of_the_toy_lists() -> None:
    pool, gains = toy()
    best, first = oracles(gains, pool.offsets), pool.offsets[:-1]
    assert (best - pool.offsets[:-1] + 1).tolist() == [2, 1, 2]
    assert attains(gains, pool.offsets, first).mean() == pytest.approx(1 / 3)
    means = mean_features(pool, best, first)
    assert means.first.tolist() == pytest.approx([0, -10, -5.333333, -3.666667], abs=1e-6)
    assert means.oracle.tolist() == pytest.approx([-0.666667, -10.5, -5.666667, -3.066667], abs=1e-6)
    summed = rescored_by_sum(TOY_WEIGHTS, means)
    assert summed.tolist() == pytest.approx([-0.566667, 0.0, -0.633333, 0.8], abs=1e-6)
    assert attains(gains, pool.offsets, pool.best_hypotheses(summed)).all()
    after = positions(order_by(pool.features @ summed, pool.offsets), pool.offsets)[best]
    assert Movement.between(best - pool.offsets[:-1] + 1, after) == Movement(2, 1.0, 0, 0, 0.0, 0)
    product = rescored_by_product(TOY_WEIGHTS, means)
    assert product.tolist() == pytest.approx([0.1, 0.525, -0.31875, 0.167273], abs=1e-6)
    assert pool.best_hypotheses(product).tolist() == first.tolist()


def test_features_of_the_toy_lists() -> None:
    pool, gains = toy()
    shares = compare_features(pool.names, pool.features, oracles(gains, pool.offsets), pool.offsets[:-1])
    assert [(s.feature, round(3 * s.oracle), round(3 * s.first), round(3 * s.equal)) for s in shares] == [
        ("d3", 0, 1, 2), ("lm", 0, 2, 1), ("w", 0, 1, 2), ("tm1", 2, 0, 1)
    ]  # fmt: skip


def shared_lists(path: str, reference: str) -> tuple[NBestLists, list[str]]:
    folder = SHARED / "data"
    if not folder.exists():
        pytest.skip("the shared data are not here")
    with gzip.open(folder / path, "rt", encoding="utf-8") as file:
        lists = read_n_best(file)
    opened = gzip.open if reference.endswith(".gz") else open
    with opened(folder / reference, "rt", encoding="utf-8") as file:
        return lists, file.read().splitlines()[: len(lists)]


@pytest.fixture(scope="module")
def moses_run() -> TuningPool:
    lists, reference = shared_lists("moses-mert/run1.nbest.gz", "moses-mert/reference.0")
    return pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [reference])


DEFAULTS = np.array([0.4, *[0.15] * 6, 0.5, -1.0, *[0.2] * 5]) / 3.8


def test_rescoring_of_a_run_of_moses(moses_run: TuningPool) -> None:
    """Srivastava's digest 4.5, computed there by other means."""
    gains = oracle_gains(moses_run)
    best, first = oracles(gains, moses_run.offsets), moses_run.offsets[:-1]
    assert gains[first].tolist() == pytest.approx([0.284595, 0.753900, 0.306682, 0.253861, 0.086648], abs=1e-6)
    assert gains[best].tolist() == pytest.approx([0.352384, 0.753900, 0.387302, 0.267300, 0.283554], abs=1e-6)
    assert (best - moses_run.offsets[:-1] + 1).tolist() == [47, 1, 82, 63, 108]
    assert ties(gains, moses_run.offsets).tolist() == [24, 24, 3, 8, 4]
    assert moses_run.score_of(first) == pytest.approx(27.6695, abs=1e-4)
    assert moses_run.score_of(best) == pytest.approx(34.5019, abs=1e-4)
    expected = (
        (RESC_SUM, 26.3536, 3, 2, [0.10526, -1.30612, 0.03947, 0.41569, -1.38688, 0.03947, 0.03947, 0.66974, -0.26316, -1.82443, -0.44919, -0.66836, -0.04149, 0.45259]),
        (RESC_PROD, 27.2856, 0, 4, [0.10526, 0.04633, 0.03947, 0.03052, 0.04864, 0.03947, 0.03947, 0.13043, -0.26316, 0.05707, 0.05333, 0.05586, 0.05281, 0.05433]),
    )  # fmt: skip
    for method, score, up, down, weights in expected:
        outcome = method.tune(TuningData(moses_run, DEFAULTS), NO_FILTER, np.random.default_rng(), SILENT)
        assert outcome.weights.tolist() == pytest.approx(weights, abs=1e-5)
        assert moses_run.score(outcome.weights) == pytest.approx(score, abs=1e-4)
        after = positions(order_by(moses_run.features @ outcome.weights, moses_run.offsets), moses_run.offsets)[best]
        movement = Movement.between(best - moses_run.offsets[:-1] + 1, after)
        assert (movement.up, movement.down) == (up, down)


def test_rescoring_of_longer_lists_of_moses() -> None:
    lists, reference = shared_lists("moses-nbest/nbest.out.gz", "moses-nbest/reference.txt.gz")
    pool = pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [reference])
    weights = np.array([*[0.1] * 9, 0.03, 0.02, 0.03, 0.02, 0, 0])
    gains = oracle_gains(pool)
    best, first = oracles(gains, pool.offsets), pool.offsets[:-1]
    assert pool.score_of(first) == pytest.approx(7.2223, abs=1e-4)
    assert pool.score_of(best) == pytest.approx(11.7091, abs=1e-4)
    assert attains(gains, pool.offsets, first).mean() == 0.05
    for method, score, up, down in ((RESC_SUM, 9.2233, 73, 25), (RESC_PROD, 6.4941, 18, 76)):
        outcome = method.tune(TuningData(pool, weights), NO_FILTER, np.random.default_rng(), SILENT)
        assert pool.score(outcome.weights) == pytest.approx(score, abs=1e-4)
        after = positions(order_by(pool.features @ outcome.weights, pool.offsets), pool.offsets)[best]
        movement = Movement.between(best - pool.offsets[:-1] + 1, after)
        assert (movement.up, movement.down) == (up, down)
    greedy = corpus_oracles(pool.metric, pool.statistics, pool.offsets, best)
    assert pool.score_of(greedy) > pool.score_of(best)


def test_ranges_of_ranks() -> None:
    """The thesis' table of fr-en, 100-best, dev: 725 of 2,000 first oracles are 36.25 %, and within the first five 45.95 %."""
    ranks = np.repeat([1, 2, 5, 6, 11, 100], [725, 100, 94, 121, 400, 560])
    counts = rank_counts(ranks)
    assert counts == {"1": 725, "2-5": 194, "6-10": 121, "11-": 960}
    assert (counts["1"] + counts["2-5"]) / 2000 == pytest.approx(0.4595)


def test_what_can_be_reached_is_found_word_for_word() -> None:
    lists = NBestLists.from_json(
        [[{"text": "a  b", "score": 1.0}, {"text": "a c", "score": 0.0}], [], [{"text": "x", "score": 0.0}]]
    )
    assert reachable(lists, [["a b", "y", "z"], ["q", "y", "x "]]).tolist() == [0, -1, 2]


SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(SIZES, st.integers(0, 2**32))
def test_exchanges_reach_no_more_than_all_combinations(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    metric = metric_named("bleu|tok:none|smooth:add-k[1]")
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    words = [" ".join(rng.choice(list("abcd"), 5)) for _ in range(offsets[-1])]
    references = [" ".join(rng.choice(list("abcd"), 5)) for _ in sizes]
    statistics = metric.prepare([references]).statistics(words, np.repeat(np.arange(len(sizes)), sizes))
    start = offsets[:-1]
    reached = corpus_oracles(metric, statistics, offsets, start)
    scores = {
        chosen: float(metric.score(statistics[list(chosen)].sum(0)[None])[0])
        for chosen in product(*(range(b, e) for b, e in pairwise(offsets)))
    }
    score = scores[tuple(reached.tolist())]
    assert scores[tuple(start.tolist())] <= score <= max(scores.values())
    # No single exchange makes it better.
    for place, hypothesis in enumerate(reached):
        for other in range(offsets[place], offsets[place + 1]):
            neighbour = (*reached[:place].tolist(), other, *reached[place + 1 :].tolist())
            assert scores[neighbour] <= score or other == hypothesis


@given(SIZES, st.floats(0.01, 1), st.integers(0, 2**32))
def test_the_best_share_of_a_list(sizes: list[int], share: float, seed: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    gains = np.random.default_rng(seed).integers(0, 3, offsets[-1]).astype(float)
    places, kept = top_share(gains, offsets, share)
    for segment, size in enumerate(sizes):
        own = places[kept[segment] : kept[segment + 1]]
        assert len(own) == max(1, int(np.ceil(share * size - 1e-12)))
        assert own[0] == oracles(gains, offsets)[segment]
        left = set(range(offsets[segment], offsets[segment + 1])) - set(own.tolist())
        assert all(gains[h] <= gains[own].min() for h in left)


@given(SIZES, st.integers(0, 2**32))
def test_longer_lists_have_no_worse_oracles(sizes: list[int], seed: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    gains = np.random.default_rng(seed).normal(size=offsets[-1])
    scores = [gains[best_of_first(gains, offsets, size)] for size in range(1, 5)]
    assert all((later >= earlier).all() for earlier, later in pairwise(scores))
    assert (scores[-1] == gains[oracles(gains, offsets)]).all()


def test_rescoring_changes_nothing_where_oracles_are_first() -> None:
    pool, _ = toy()
    means = mean_features(pool, pool.offsets[:-1], pool.offsets[:-1])
    assert rescored_by_sum(TOY_WEIGHTS, means).tolist() == TOY_WEIGHTS.tolist()
    assert rescored_by_product(TOY_WEIGHTS, means).tolist() == TOY_WEIGHTS.tolist()
