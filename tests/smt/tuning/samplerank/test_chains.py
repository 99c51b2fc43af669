"""Chains of SampleRank: compiled ones against plain ones, through lists and through other neighbourhoods, and the digest's laws."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.samplerank.chain import Chain, begin_batch, walk
from app.smt.tuning.samplerank.list_chain import ChainPlan, ListChain, ListChains
from app.smt.tuning.samplerank.neighbourhood import Neighbours
from app.smt.tuning.samplerank.rules import BEST, CLOSEST, GAIN, HOPE, MIRA, PERCEPTRON, UNIT_MARGIN, ChainRules
from app.smt.tuning.samplerank.tuner import mixed
from tests.smt.tuning.online.test_steps import random_pool
from tests.smt.tuning.samplerank.list_neighbourhood import ListNeighbourhood, drawn_places

RULES = st.builds(
    ChainRules,
    st.sampled_from([HOPE, BEST, CLOSEST]),
    st.sampled_from([MIRA, PERCEPTRON]),
    st.sampled_from([GAIN, UNIT_MARGIN]),
    st.sampled_from([0.0, 0.01, 1.0]),
    st.sampled_from([0.5, 1.0, 4.0]),
)


@dataclass
class Uniforms:
    """A generator that gives numbers which were drawn before."""

    rows: Any

    def random(self, size: int) -> np.ndarray:
        return np.asarray(next(self.rows)[:size])


@given(st.integers(0, 2**32), RULES, st.sampled_from([0, 2, 3, 20]), st.sampled_from(["bleu|tok:none", "wer"]))
@settings(max_examples=60, deadline=None)
def test_compiled_chains_are_plain_ones(seed: int, rules: ChainRules, neighbours: int, metric: str) -> None:
    pool, rng = random_pool(seed, metric), np.random.default_rng(seed)
    batch, start = np.array([1, 4, 5, 9]), np.array([0.5, 0.3, 0.2])
    segments, uniforms = batch[rng.integers(0, 4, 30)], rng.random(30)
    subsets = rng.random((30, max(neighbours - 1, 0)))
    gain = CorpusGain(pool.metric)

    chain, neighbourhood = Chain(start, np.zeros(3)), ListNeighbourhood(pool, neighbours)
    begin_batch(chain, neighbourhood, batch)
    stand, current = ListChain(start.copy(), np.zeros(3)), pool.offsets[:-1].copy()
    sums = pool.statistics[current[batch]].sum(0)
    lists = ListChains(pool, gain, rules)
    for k in range(30):
        one = slice(k, k + 1)
        walk(chain, neighbourhood, segments[one], uniforms[one], gain, rules, k >= 10, Uniforms(iter(subsets[one])))  # type: ignore[arg-type]
        if k >= 10 and not gain.compiled:
            lists.measure(int(segments[k]), current, sums)
        lists.steps(stand, segments[one], uniforms[one], subsets[one], current, sums, k >= 10)
    assert stand.weights == pytest.approx(chain.weights, rel=1e-9, abs=1e-9)
    assert stand.weight_sum() == pytest.approx(chain.weight_sum, rel=1e-7, abs=1e-7)
    assert stand.counts.tolist() == chain.counts.tolist()
    assert current[batch].tolist() == [chain.hypotheses[i] for i in batch.tolist()]
    assert sums == pytest.approx(chain.sums)


@given(st.integers(1, 12), st.data())
def test_a_part_of_a_list_has_different_places_and_ones_own(length: int, data: st.DataObject) -> None:
    here = data.draw(st.integers(0, length - 1))
    count = data.draw(st.integers(0, length - 1))
    uniforms = np.array(data.draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=count, max_size=count)))
    places = drawn_places(length, here, uniforms).tolist()
    assert len(set(places)) == len(places) == count + 1
    assert here in places
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] < length


def epoch(pool: TuningPool, rules: ChainRules, plan: ChainPlan, start: np.ndarray, seed: int = 1) -> ListChain:
    chains = ListChains(pool, CorpusGain(pool.metric), rules)
    return ListChain.of_array(chains.epoch(start, np.arange(len(pool)), plan, np.random.default_rng(seed), SILENT, 0.0))


def test_without_a_step_weights_never_move() -> None:
    start = np.array([0.5, 0.3, 0.2])
    for update in (MIRA, PERCEPTRON):
        stand = epoch(random_pool(3), ChainRules(BEST, update, step=0.0), ChainPlan(5, 20, 0, 0), start)
        assert stand.weights.tolist() == start.tolist()
        assert stand.weight_sum() / stand.counts[0] == pytest.approx(start)
        assert stand.counts[1] > 0
        assert stand.counts[2] == 0


@given(st.sampled_from([0.125, 2.0, 1024.0]), st.integers(0, 100))
@settings(deadline=None)
def test_units_of_features_do_not_change_what_is_drawn(unit: float, seed: int) -> None:
    pool, start = random_pool(seed), np.array([0.5, 0.3, 0.2])
    scaled = replace(pool, features=HypothesisFeatures(pool.features.dense * unit))
    rng = np.random.default_rng(seed)
    segments, uniforms, none = rng.integers(0, 12, 50), rng.random(50), np.empty((50, 0))
    stands = []
    for own, weights in ((pool, start), (scaled, start / unit)):
        current = own.offsets[:-1].copy()
        lists = ListChains(own, CorpusGain(own.metric), ChainRules())
        lists.steps(ListChain(weights, np.zeros(3)), segments, uniforms, none, current, own.statistics[current].sum(0), False)
        stands.append(current.tolist())
    assert stands[0] == stands[1]


def test_mixing_equal_chains_is_one_chain() -> None:
    stand = epoch(random_pool(3), ChainRules(BEST), ChainPlan(5, 20, 4, 0), np.array([0.5, 0.3, 0.2]))
    assert mixed([stand, stand, stand]) == pytest.approx(stand.weights, rel=1e-15)


def test_sparse_columns_are_sampled_as_dense_ones() -> None:
    pool, start = random_pool(5), np.array([0.5, 0.3, 0.2])
    dense = np.where(np.abs(pool.features.dense) < 0.5, 0.0, pool.features.dense)
    stands = [
        epoch(replace(pool, features=matrix), ChainRules(BEST), ChainPlan(10, 50, 0, 0), start)
        for matrix in (HypothesisFeatures(dense), HypothesisFeatures(dense[:, :1].copy(), csr_matrix(dense[:, 1:])))
    ]
    assert stands[0].weights == pytest.approx(stands[1].weights, rel=1e-9)
    assert stands[0].counts.tolist() == stands[1].counts.tolist()


@dataclass(frozen=True)
class Orders:
    """A toy decoder: a hypothesis is an order of words, and beside it are those with two neighbours exchanged."""

    references: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.references)

    def first(self, segment: int) -> Neighbours:
        return self._of(segment, [tuple(reversed(self.references[segment]))])

    def around(self, segment: int, hypothesis: Any, rng: np.random.Generator) -> Neighbours:
        place = int(rng.integers(0, len(hypothesis) - 1))
        swapped = list(hypothesis)
        swapped[place : place + 2] = swapped[place : place + 2][::-1]
        return self._of(segment, [hypothesis, tuple(swapped)])

    def _of(self, segment: int, orders: list[tuple[int, ...]]) -> Neighbours:
        # Errors are pairs of words that stand the other way round; the second feature is equal everywhere.
        place = {word: k for k, word in enumerate(self.references[segment])}
        errors = [sum(place[a] > place[b] for a, b in combinations(order, 2)) for order in orders]
        rises = [[sum(a < b for a, b in combinations(order, 2)), 0.1 * len(order)] for order in orders]
        return Neighbours(orders, np.array(rises, float), np.array([[e, len(place)] for e in errors], float), 0)


def test_other_neighbourhoods_are_walked_through() -> None:
    """Ascending references: weights learn that rises are good, though the start says that they are bad."""
    rng = np.random.default_rng(1)
    orders = Orders(tuple(tuple(range(6)) for _ in range(4)))
    chain = Chain(np.array([-1.0, 0.0]), np.zeros(2))
    begin_batch(chain, orders, np.arange(4))
    gain = CorpusGain(metric_named("wer|tok:none"))
    segments, uniforms = rng.integers(0, 4, 2000), rng.random(2000)
    walk(chain, orders, segments, uniforms, gain, ChainRules(BEST, PERCEPTRON, step=3.0), True, rng)
    assert chain.mean_weights[0] > 0
    assert chain.mean_weights[1] == 0
    assert chain.counts[1] >= chain.counts[2] > 0
    assert chain.sums[0] <= 4
