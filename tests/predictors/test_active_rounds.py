"""Rounds of active learning against a plain loop with scikit-learn's Gaussian process, and against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from app.arrays import Bools, Float64s
from app.errors import InputError
from app.predictors.active_learning import information_density
from app.predictors.training.active import Round, has_plateau, learn_round, next_batch, random_batch, standardised_pool


def pool(seed: int, n: int = 60, k: int = 3) -> tuple[Float64s, Float64s]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + rng.normal(size=k)
    return x, np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=n)


def plain_loop(state: Round, labelled: Bools, count: int, beta: float) -> list[tuple[int, float]]:
    """One label at a time by scikit-learn, with cosines summed one by one; the labels of added rows do not matter."""
    term = state.process.kernel.terms[0]
    kernel = ConstantKernel(term.variance) * RBF(term.lengths) + WhiteKernel(state.process.noise_variance)
    x, known, choices = state.x, labelled.copy(), []
    for _ in range(count):
        peer = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(x[known], np.zeros(known.sum()))
        unlabelled = np.flatnonzero(~known)
        worth = {}
        for row in unlabelled.tolist():
            cosines = [x[row] @ x[u] / (np.linalg.norm(x[row]) * np.linalg.norm(x[u])) for u in unlabelled]
            variance = peer.predict(x[row : row + 1], return_std=True)[1][0] ** 2
            worth[row] = variance * max(0.0, float(np.mean(cosines))) ** beta
        best = max(worth, key=lambda row: worth[row])
        choices.append((best, worth[best]))
        known[best] = True
    return choices


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_batch_is_what_a_plain_loop_chooses(seed: int, beta: float) -> None:
    values, labels = pool(seed)
    x, _, _ = standardised_pool(values + 1.0)
    # Off the centre, so that cosines have a mean.
    x = x + 0.5
    labelled = np.arange(len(x)) < 15
    state = learn_round(x, labels, labelled, seed)
    rows, worth = next_batch(state, labelled, 8, beta)
    expected = plain_loop(state, labelled, 8, beta)
    assert rows.tolist() == [row for row, _ in expected]
    assert worth == pytest.approx([value for _, value in expected], rel=1e-6)


def test_rounds_are_those_of_a_plain_loop() -> None:
    """Three rounds of five labels, each with hyper-parameters of its own, from the batch of the round before."""
    values, labels = pool(3)
    x, _, _ = standardised_pool(values)
    labelled = np.zeros(len(x), np.bool_)
    labelled[random_batch(labelled, 12, 7)] = True
    for _ in range(3):
        state = learn_round(x, labels, labelled, 7)
        rows, _ = next_batch(state, labelled, 5, 0.0)
        assert rows.tolist() == [row for row, _ in plain_loop(state, labelled, 5, 0.0)]
        labelled[rows] = True
        predicted = state.means(x)
        term = state.process.kernel.terms[0]
        kernel = ConstantKernel(term.variance) * RBF(term.lengths) + WhiteKernel(state.process.noise_variance)
        known = np.ones(len(x), np.bool_) & labelled
        known[rows] = False
        peer = GaussianProcessRegressor(kernel, optimizer=None, alpha=0)
        peer.fit(x[known], (labels[known] - state.label_centre) / state.label_scale)
        mean, std = peer.predict(x, return_std=True)
        assert predicted == pytest.approx(mean * state.label_scale + state.label_centre, abs=1e-6)
        assert state.error == pytest.approx(np.sqrt((std**2).mean()) * state.label_scale, rel=1e-6)


def test_hidden_labels_are_not_read() -> None:
    values, labels = pool(4)
    x, _, _ = standardised_pool(values)
    labelled = np.arange(len(x)) < 20
    hidden = np.where(labelled, labels, np.nan)
    first, second = (next_batch(learn_round(x, column, labelled, 1), labelled, 6, 1.0) for column in (labels, hidden))
    assert first[0].tolist() == second[0].tolist()


def test_beta_in_closed_forms() -> None:
    # Two rows point one way, one the other: densities 2/3, 2/3, 1/3.
    x, variance = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.5, 4.0])
    assert information_density(x, variance, 0.0).tolist() == variance.tolist()
    assert information_density(x, variance, 1.0) == pytest.approx([2 / 3, 1 / 3, 4 / 3])
    assert information_density(x, variance, 2.0) == pytest.approx([4 / 9, 2 / 9, 4 / 9])


@given(st.lists(st.floats(0.1, 9.0), max_size=12), st.integers(1, 6), st.floats(0.0, 0.5))
def test_a_plateau_is_a_small_range(errors: list[float], window: int, tolerance: float) -> None:
    recent = errors[max(0, len(errors) - window - 1) :]
    expected = len(errors) >= window + 1 and np.ptp(recent) <= tolerance * np.mean(recent) * (1 + 1e-12)
    exact = len(errors) >= window + 1 and np.ptp(recent) <= tolerance * np.mean(recent) * (1 - 1e-12)
    assert has_plateau(errors, window, tolerance) in (bool(expected), bool(exact))


def test_nothing_is_learned_from_equal_labels() -> None:
    x, _ = pool(5)
    with pytest.raises(InputError, match="all labels are equal"):
        learn_round(x, np.ones(len(x)), np.ones(len(x), np.bool_), 1)
