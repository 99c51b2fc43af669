"""Tuners by gradient: finite differences, closed forms, brute force, scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.linear_model import LogisticRegression

from app.errors import InputError
from app.running.journal import SILENT, ProgressJournal
from app.smt.tuning.gradient.ascent import climb, scaled
from app.smt.tuning.gradient.expected_metric import corpus_expectation, expectation
from app.smt.tuning.gradient.likelihood import likelihood, targets
from app.smt.tuning.gradient.posterior_kernels import mean_slopes, posteriors
from app.smt.tuning.gradient.ramp import FORMS, ramp_loss
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.tune import tune
from tests.smt.tuning.pools import random_pool

METHODS = [
    "expected|stages:3",
    "expected|of:sentence|restarts:1|stages:2",
    "likelihood",
    "ramp|rounds:3",
    "ramp|form:hope|rounds:3",
]


def differences(objective, weights):
    moved = np.eye(len(weights)) * 1e-6
    return np.array([(objective(weights + step)[0] - objective(weights - step)[0]) / 2e-6 for step in moved])


def test_posteriors_are_softmaxes_of_lists() -> None:
    scores, offsets = np.array([1.0, 2.0, 700.0, -900.0, -np.inf, 0.5]), np.array([0, 2, 4, 5, 6])
    shares, logs = posteriors(scores, offsets)
    assert shares == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e), 1, 0, 0, 1])
    assert logs == pytest.approx([np.log(np.e + np.e**2), 700, -np.inf, 0.5])
    values = np.arange(6.0)
    plain = shares * values
    plain[:2] = shares[:2] * (values[:2] - shares[:2] @ values[:2])
    assert mean_slopes(values, shares, offsets) == pytest.approx([*plain[:2], 0, 0, 0, 0])


@pytest.mark.parametrize("metric", ["bleu|tok:none|smooth:none", "bleu|tok:none|smooth:exp"])
@pytest.mark.parametrize("of", ["corpus", "sentence"])
def test_gradients_of_expectations_are_finite_differences(of: str, metric: str) -> None:
    work = scaled(TuningData(random_pool(metric=metric), np.ones(4)))
    objective = expectation(work, of, 1.7, 0.01)
    weights = np.array([0.3, -0.5, 0.2, 0.9])
    assert objective(weights)[1] == pytest.approx(differences(objective, weights), rel=1e-4, abs=1e-6)


def test_a_sharp_expectation_is_the_score_of_what_is_chosen() -> None:
    pool = random_pool()
    weights = np.array([1.0, -0.1, 0.02, 0.003])
    assert 100 * corpus_expectation(pool, (pool.features @ weights) * 1e9)[0] == pytest.approx(pool.score(weights))
    even = np.add.reduceat(pool.statistics, pool.offsets[:-1], axis=0).sum(0) / 12
    assert 100 * corpus_expectation(pool, np.zeros(len(pool.features)))[0] == pytest.approx(pool.metric.score(even[None])[0])


def test_gradients_of_likelihoods_are_finite_differences() -> None:
    work = scaled(TuningData(random_pool(), np.ones(4)))
    wanted = np.random.default_rng(0).random((len(work.pool.features), 2)) < 0.05
    objective = likelihood(work.pool, wanted, 0.1)
    weights = np.array([0.3, -0.5, 0.2, 0.9])
    assert objective(weights)[1] == pytest.approx(differences(objective, weights), abs=1e-7)


def two_a_list(seed: int = 0, n: int = 40, width: int = 3):
    pool = random_pool(seed, n, 2, width)
    wanted = np.zeros((2 * n, 1), np.bool_)
    wanted[np.arange(n) * 2 + np.random.default_rng(seed).integers(0, 2, n)] = True
    return replace(pool, features=HypothesisFeatures(pool.features.dense / 10.0 ** np.arange(width))), wanted


def test_two_hypotheses_a_list_are_a_logistic_regression() -> None:
    pool, wanted = two_a_list()
    dense = pool.features.dense
    x, y = dense[0::2] - dense[1::2], wanted[0::2, 0]
    theirs = LogisticRegression(fit_intercept=False, C=1 / (0.05 * len(x)), tol=1e-10, max_iter=1000).fit(x, y)
    ours = climb(likelihood(pool, wanted, 0.05), np.zeros(3), 500, SILENT, 0.0)
    assert ours == pytest.approx(theirs.coef_[0], abs=1e-3)


def test_one_list_of_two_has_a_closed_form() -> None:
    pool = random_pool(0, 1, 2, 1)
    wanted = np.array([[True], [False]])
    delta = float(pool.features.dense[0, 0] - pool.features.dense[1, 0])
    ours = climb(likelihood(pool, wanted, 0.3), np.zeros(1), 200, SILENT, 0.0)
    assert ours[0] == pytest.approx(brentq(lambda w: 0.3 * w - delta / (1 + np.exp(w * delta)), -100, 100), abs=1e-3)


def test_targets_are_references_or_the_best() -> None:
    pool = random_pool(0, 3, 3)
    texts = ["a b", "a  b", "c", "d", "e f", "g", "h", "i", "i j k"]
    data = TuningData(pool, np.ones(4), references=[["a b", "g h", "x"], ["c", "d", "i k"]], texts=texts)
    assert np.flatnonzero(targets(data, "reference", "metric")[:, 0]).tolist() == [0, 1]
    both = targets(data, "references", "metric")
    assert [np.flatnonzero(column).tolist() for column in both.T] == [[0, 1], [2, 3]]
    best = targets(data, "oracle", "metric")[:, 0]
    assert best.tolist() == [gain == pool.gains[h // 3 * 3 : h // 3 * 3 + 3].max() for h, gain in enumerate(pool.gains)]
    assert {0, 1, 2, 3} <= set(np.flatnonzero(targets(data, "oracle", "wer")[:, 0]).tolist())
    with pytest.raises(InputError, match="no list contains its reference"):
        targets(replace(data, references=[["x", "y", "z"]]), "reference", "metric")
    with pytest.raises(InputError, match="texts"):
        targets(replace(data, texts=None), "reference", "metric")


@pytest.mark.parametrize("form", FORMS)
def test_ramp_losses_are_what_brute_force_gives(form: str) -> None:
    pool = random_pool(1, 5, 4)
    costs, weights = 1 - pool.gains, np.array([0.5, 0.02, -0.003, 0.0001])
    scores, lowered, raised = pool.features @ weights, form != "fear", form != "hope"
    plain = 0.0
    for begin in range(0, 20, 4):
        rows = range(begin, begin + 4)
        plain += max(scores[h] + raised * costs[h] for h in rows) - max(scores[h] - lowered * costs[h] for h in rows)
    loss, towards, away = ramp_loss(pool, costs, weights, form)
    assert loss == pytest.approx(plain / 5)
    assert (costs[towards] <= costs[away] + 1e-12).all()


@pytest.mark.parametrize("spec", METHODS)
def test_runs_are_repeated_in_any_unit_and_report_the_score_of_what_is_written(spec: str) -> None:
    pool, units = random_pool(), 2.0 ** np.array([10, -7, 0, 3])
    one = tune(TuningData(pool, np.ones(4)), spec, (1,)).best
    assert one.score == pool.score(one.weights)
    assert one.weights.tobytes() == tune(TuningData(pool, np.ones(4)), spec, (1,)).best.weights.tobytes()
    other = replace(pool, features=HypothesisFeatures(pool.features.dense * units))
    assert (
        other.best_hypotheses(tune(TuningData(other, 1 / units), spec, (1,)).best.weights) == pool.best_hypotheses(one.weights)
    ).all()
    if not spec.startswith("likelihood"):
        assert one.score >= pool.score(np.ones(4))


@pytest.mark.parametrize("spec", METHODS)
def test_cancelling_and_lists_of_one(spec: str) -> None:
    def cancel(what: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(TuningData(random_pool(), np.ones(4)), spec, journal=ProgressJournal(cancel))
    assert tune(TuningData(random_pool(size=1), np.ones(4)), spec).best.weights == pytest.approx([0.25] * 4)
