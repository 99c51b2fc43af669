"""Several margins of a list at once against a solver of quadratic programmes, and mixed targets against those of oracles."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.lists.diagnosis.oracles import mixed_oracles
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.online.constraint_kernels import ALL_PAIRS, ONE_PAIR, THREE_PAIRS
from app.smt.tuning.online.learner import Lesson, learn
from app.smt.tuning.online.step_kernels import BEST, FEAR, HOPE, MARGIN, MIXTURE, MODEL, PLAIN
from app.smt.tuning.pool import TuningPool

LESSON = Lesson(MARGIN, HOPE, FEAR, 1.0, 1.0, "none", 0.0, 1, 0, "none", "last", "none", False)


def one_list(features: np.ndarray, errors: np.ndarray, sparse: bool = False) -> TuningPool:
    """A list whose hypotheses make so many errors in ten words: their gains are what these leave of 1, less 1."""
    statistics = np.column_stack([errors, np.full(len(errors), 10)]).astype(float)
    matrix = HypothesisFeatures(features[:, :1], csr_matrix(features[:, 1:])) if sparse else HypothesisFeatures(features)
    names = tuple(map(str, range(features.shape[1])))
    return TuningPool(np.array([0, len(errors)]), names, matrix, metric_named("wer|tok:none"), statistics, np.arange(1))


def learnt(pool: TuningPool, start: np.ndarray, lesson: Lesson) -> np.ndarray:
    return np.asarray(learn(TuningData(pool, start), lesson, np.random.default_rng(1), SILENT).weights)


def solved(start: np.ndarray, differences: np.ndarray, losses: np.ndarray, cap: float) -> tuple[np.ndarray, bool]:
    """``min ½‖w - start‖² + C Σ ξ`` under margins, as a general solver finds it: nothing of the dual; and whether it is sure."""
    width, count = len(start), len(losses)
    first = np.concatenate([start, np.maximum(losses - differences @ start, 0.0)])
    margins = {
        "type": "ineq",
        "fun": lambda x: differences @ x[:width] + x[width:] - losses,
        "jac": lambda x: np.hstack([differences, np.eye(count)]),
    }
    done = minimize(
        lambda x: 0.5 * ((x[:width] - start) ** 2).sum() + cap * x[width:].sum(),
        first,
        jac=lambda x: np.concatenate([x[:width] - start, np.full(count, cap)]),
        method="SLSQP",
        bounds=[(None, None)] * width + [(0, None)] * count,
        constraints=[margins],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return np.asarray(done.x[:width]), bool(done.success)


def pairs_by_hand(gains: np.ndarray, scores: np.ndarray, lesson: Lesson) -> list[tuple[int, int]]:
    order = sorted(range(len(gains)), key=lambda h: (-(scores + gains)[h], h))
    by_gain = sorted(range(len(gains)), key=lambda h: (-gains[h], -scores[h], h))
    hope, best, fear = order[0], by_gain[0], int(np.argmax(scores - gains))
    if lesson.pairs == THREE_PAIRS:
        chosen = [(hope, fear), (best, fear), (best, hope)]
    elif lesson.pairs == ALL_PAIRS:
        targets = (order if lesson.target == HOPE else by_gain)[: lesson.oracles]
        chosen = [(target, other) for target in targets for other in range(len(gains))]
    else:
        chosen = [(hope, fear)]
    return list(dict.fromkeys((a, b) for a, b in chosen if gains[a] > gains[b]))


@given(
    st.integers(0, 10_000), st.integers(1, 7), st.sampled_from([ONE_PAIR, THREE_PAIRS, ALL_PAIRS]), st.sampled_from([HOPE, BEST]),
    st.integers(1, 3), st.sampled_from([0.01, 0.2, 1.0]), st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_margins_are_those_of_a_quadratic_programme(
    seed: int, size: int, pairs: int, target: int, oracles: int, cap: float, sparse: bool
) -> None:
    rng = np.random.default_rng(seed)
    features, errors = rng.normal(size=(size, 4)), rng.integers(0, 10, size)
    start, gains = rng.normal(size=4), -errors / 10
    lesson = replace(LESSON, pairs=pairs, target=HOPE if pairs == ONE_PAIR else target, oracles=oracles, cap=cap)
    chosen = pairs_by_hand(gains, features @ start, lesson)
    found = learnt(one_list(features, errors, sparse), start, lesson)
    if not chosen:
        assert found.tolist() == start.tolist()
        return
    differences = np.array([features[a] - features[b] for a, b in chosen])
    losses = np.array([gains[a] - gains[b] for a, b in chosen])

    def cost(weights: np.ndarray) -> float:
        return float(0.5 * ((weights - start) ** 2).sum() + cap * np.maximum(losses - differences @ weights, 0.0).sum())

    wanted, sure = solved(start, differences, losses, cap)
    assert cost(found) <= cost(wanted) + 1e-5
    if sure:
        assert found == pytest.approx(wanted, abs=2e-3)


def test_all_margins_hold_where_steps_are_long_enough() -> None:
    rng = np.random.default_rng(5)
    features, truth = rng.normal(size=(12, 6)), rng.normal(size=6)
    errors = np.argsort(np.argsort(-(features @ truth)))
    found = learnt(one_list(features, errors), -truth, replace(LESSON, pairs=ALL_PAIRS, oracles=20, cap=1e9))
    assert np.argsort(-(features @ found)).tolist() == np.argsort(errors).tolist()
    best = int(np.argmin(errors))
    scores = features @ found
    assert (scores[best] - scores >= (errors - errors[best]) / 10 - 1e-5).all()


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
@settings(max_examples=40, deadline=None)
def test_mixed_targets_are_mixed_oracles(seed: int, size: int, mix: float) -> None:
    rng = np.random.default_rng(seed)
    features, errors, start = rng.integers(-3, 4, (size, 3)).astype(float), rng.integers(0, 10, size), np.array([1.0, 2.0, -1.0])
    scores = features @ start
    target = int(mixed_oracles(-errors / 10, scores, np.array([0, size]), mix)[0])
    model = int(np.argmax(scores))
    moves = errors[target] < errors[model]
    lesson = replace(LESSON, rule=PLAIN, target=MIXTURE, rival=MODEL, cap=0.5, mix=mix)
    found = learnt(one_list(features, errors), start, lesson)
    assert found == pytest.approx(start + moves * 0.5 * (features[target] - features[model]))


def test_the_mixed_oracle_of_the_digest() -> None:
    """(metric, model) = (.8, .1), (.6, .5), (.3, .9): the model's share decides which of them is moved towards."""
    metric, model = np.array([0.8, 0.6, 0.3]), np.array([0.1, 0.5, 0.9])
    features = np.column_stack([model, np.eye(3)])
    start = np.array([1.0, 0.0, 0.0, 0.0])
    pool = one_list(features, 10 * (1 - metric))
    for mix, target in ((0.0, 0), (0.25, 0), (1.0, 2)):
        lesson = replace(LESSON, rule=PLAIN, target=MIXTURE, rival=MODEL, cap=1.0, mix=mix)
        found = learnt(pool, start, lesson)
        assert found == pytest.approx(start + (features[target] - features[2]))
