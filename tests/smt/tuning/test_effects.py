"""What weights do, whatever features are measured in: spreads and effects, and which weights are written as 0."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import effects, spreads
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import FeatureWeights, tidied
from app.smt.tuning.weights_file import TunedWeightsFile, read_weights, write_weights
from tests.smt.tuning.pools import random_pool

# What columns are multiplied by; 0 makes them constant.
SCALES = st.sampled_from([0.0, 1e-300, 1e-90, 1e-12, 1e-6, 1.0, 1e6, 1e12, 1e90, 1e300])


def scaled(pool: TuningPool, factors: list[float], constant: float = 3.0) -> TuningPool:
    """The pool with columns that vary by 1, times factors."""
    columns = pool.features.dense / 10.0 ** np.arange(pool.features.width) * factors
    columns[:, np.array(factors) == 0] = constant
    return replace(pool, features=HypothesisFeatures(columns))


def test_spreads_are_deviations_inside_lists_dense_or_sparse() -> None:
    pool = random_pool(width=3)
    wanted = np.zeros(3)
    for begin, end in zip(pool.offsets[:-1], pool.offsets[1:], strict=True):
        wanted += pool.features.dense[begin:end].var(axis=0) * (end - begin)
    wanted = np.sqrt(wanted / len(pool.features))
    assert spreads(pool) == pytest.approx(wanted, rel=1e-12)
    sparse = replace(pool, features=HypothesisFeatures(pool.features.dense[:, :1], csr_matrix(pool.features.dense[:, 1:])))
    assert spreads(sparse) == pytest.approx(wanted, rel=1e-9)
    # Powers of two change no digit of any column, however large or small.
    far = replace(pool, features=pool.features.scaled(np.array([2.0**900, 2.0**-300, 1.0])))
    assert spreads(far).tolist() == (spreads(pool) * [2.0**900, 2.0**-300, 1.0]).tolist()
    # 0.1 and its mean over three are not the same number; it is constant none the less.
    assert spreads(scaled(pool, [1.0, 0.0, 1.0], 0.1))[1] == 0.0


def test_effects_are_shares_whatever_the_units() -> None:
    assert effects(np.array([0.5, -0.5, 0.0]), np.array([1.0, 3.0, 9.0])).tolist() == [0.25, -0.75, 0.0]
    assert effects(np.array([1e-300, 1.0]), np.array([1e300, 1.0])).tolist() == [0.5, 0.5]
    assert effects(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1e308, 1e308])).tolist() == [[0.5, 0.5], [0.0, 0.0]]
    assert effects(np.array([1.0]), np.array([0.0])).tolist() == [0.0]


def test_weights_are_floored_by_what_they_do_not_by_their_size() -> None:
    units = np.array([1e12, 1.0, 1.0, 0.0])
    # The first does as much as the second; the third next to nothing; the last was not tuned, whatever its size.
    kept = tidied(np.array([1e-12, 1.0, 1e-11, 0.3]), units)
    assert kept == pytest.approx(np.array([1e-12, 1.0, 0.0, 0.3]) / 1.3, rel=1e-9)
    assert kept[2] == 0.0
    # A large weight on what hardly varies is nothing, too.
    assert tidied(np.array([1.0, 1.0]), np.array([1e-12, 1.0])).tolist() == [0.0, 0.5]
    assert tidied(np.array([2.0, 0.0]), np.zeros(2)).tolist() == [1.0, 0.0]


@given(st.integers(0, 10), st.lists(SCALES, min_size=4, max_size=4), st.lists(st.floats(-1, 1), min_size=4, max_size=4))
@settings(max_examples=30, deadline=None)
def test_written_weights_move_hypotheses_as_the_weights_did(seed: int, factors: list[float], drawn: list[float]) -> None:
    pool = scaled(random_pool(seed, 6, 4, 4), factors)
    units = spreads(pool)
    weights = np.array(drawn) / np.where(units > 0, units, 1.0)
    if not np.isfinite(weights).all() or np.abs(weights).max() < 1e-250:
        return
    written = tidied(weights, units)
    assert written.any()
    before, after = effects(weights, units), effects(written, units)
    # What cannot stand beside the largest weight in 64 bits aside, every effect is what it was, but those below the floor.
    held = np.abs(weights) > 1e-300 * np.abs(weights).max()
    if held.all():
        assert after == pytest.approx(before, abs=1e-8)


@given(st.integers(0, 5), st.lists(SCALES, min_size=4, max_size=4))
@settings(max_examples=12, deadline=None)
def test_the_score_is_that_of_the_weights_as_they_are_written(seed: int, factors: list[float]) -> None:
    pool = scaled(random_pool(seed, 6, 4, 4), factors)
    tuned = tune(TuningData(pool, np.ones(4)), "mert|restarts:1|directions:1", (1, 2))
    for run in tuned.runs:
        raw = write_weights(TunedWeightsFile(FeatureWeights.of(pool.names, run.weights)))
        again = read_weights(raw).weights.of_columns(pool.names)
        assert again.tolist() == run.weights.tolist()
        assert pool.score(again) == run.score
        assert np.isfinite(run.weights).all()
        # Weights that change nothing are 0, and take their share along.
        assert 0.25 <= np.abs(run.weights).sum() <= 1 + 1e-9
        small = np.abs(effects(run.weights, tuned.units)) < 1e-10
        assert (run.weights[small & (tuned.units > 0)] == 0).all()


def test_an_influential_small_weight_stays_in_a_tuning() -> None:
    pool = scaled(random_pool(1), [1e12, 1.0, 1.0, 1.0])
    tuned = tune(TuningData(pool, np.ones(4)), "mert|restarts:2")
    plain = tune(TuningData(scaled(random_pool(1), [1.0] * 4), np.ones(4) * [1e12, 1, 1, 1]), "mert|restarts:2")
    assert 0 < abs(tuned.best.weights[0]) < 1e-9
    assert tuned.best.score == pytest.approx(plain.best.score, abs=0.5)
    assert effects(tuned.best.weights, tuned.units) == pytest.approx(effects(plain.best.weights, plain.units), abs=1e-6)
