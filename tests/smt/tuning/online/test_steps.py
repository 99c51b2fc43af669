"""Single steps of the perceptron and of MIRA against Song's thesis, and the compiled steps against plain ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.online.learner import Lesson, learn
from app.smt.tuning.online.step_kernels import BEST, FEAR, HOPE, MARGIN, MODEL, PLAIN
from app.smt.tuning.pool import TuningPool

WER = metric_named("wer|tok:none")
PLAINEST = Lesson(MARGIN, BEST, MODEL, 1e9, 1.0, "none", 0.0, 1, 0, "none", "last", "none", False)


def one_list(features: list[list[float]], errors: list[float]) -> TuningPool:
    """A list whose hypotheses make so many errors in one word."""
    statistics = np.column_stack([errors, np.ones(len(errors))])
    matrix = HypothesisFeatures(np.array(features, np.float64))
    return TuningPool(np.array([0, len(errors)]), ("a", "b"), matrix, WER, statistics, np.arange(1))


def stepped(lesson: Lesson) -> np.ndarray:
    """Digest 4.11: the prediction (0, 2) has 0.4 more of loss than the target (1, 0)."""
    pool = one_list([[1.0, 0.0], [0.0, 2.0]], [0.0, 0.4])
    return np.asarray(learn(TuningData(pool, np.array([0.5, 0.5])), lesson, np.random.default_rng(1), SILENT).weights)


def test_the_perceptron_of_the_thesis() -> None:
    assert stepped(replace(PLAINEST, rule=PLAIN, cap=1.0)) == pytest.approx([1.5, -1.5])


@pytest.mark.parametrize(("cap", "expected"), [(1e9, (0.68, 0.14)), (0.05, (0.55, 0.40)), (0.1, (0.6, 0.3))])
def test_mira_of_the_thesis(cap: float, expected: tuple[float, float]) -> None:
    """C = 0.1 caps the step at 0.05 for the objective as printed, and at 0.1 with a half before the squared distance."""
    assert stepped(replace(PLAINEST, cap=cap)) == pytest.approx(expected)


def plain_epoch(pool: TuningPool, start: np.ndarray, lesson: Lesson) -> tuple[np.ndarray, np.ndarray]:
    """Weights after one epoch and their mean over its steps, without kernels."""
    features, gain = pool.features.array(), CorpusGain(pool.metric, lesson.scale)
    weights, total = start.copy(), np.zeros(len(start))
    remembered = min(1 / (1 - lesson.decay), len(pool))
    background = pool.statistics[pool.best_hypotheses(start)].mean(0) * remembered
    for i in range(len(pool)):
        part = slice(*pool.offsets[i : i + 2].tolist())
        scores = features[part] @ weights
        gains = (remembered + 1) * gain.of(background, pool.statistics[part])
        plus = int(np.argmax(scores + gains))
        if lesson.target == BEST:
            plus = max(range(len(gains)), key=lambda h: (gains[h], scores[h], -h))
        minus = int(np.argmax(scores - gains)) if lesson.rival == FEAR else int(np.argmax(scores))
        difference = features[part][plus] - features[part][minus]
        loss = gains[plus] - gains[minus]
        if loss > 0 and difference.any():
            behind = (loss - scores[plus] + scores[minus]) / (difference @ difference)
            weights = weights + (lesson.cap if lesson.rule == PLAIN else np.clip(behind, 0, lesson.cap)) * difference
        total += weights
        kept = int(np.argmax(scores)) if lesson.background == "model" else plus
        background = lesson.decay * background + pool.statistics[part][kept]
        remembered = lesson.decay * remembered + 1
    return weights, total / len(pool)


def random_pool(seed: int, metric: str = "bleu|tok:none") -> TuningPool:
    """12 lists of BLEU's or WER's statistics, with 3 features."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, 12)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    features, rows = rng.normal(size=(offsets[-1], 3)), int(offsets[-1])
    if metric == "wer":
        statistics = np.column_stack([rng.integers(0, 9, rows), np.full(rows, 9)]).astype(float)
        return TuningPool(offsets, ("a", "b", "c"), HypothesisFeatures(features), WER, statistics, np.arange(12))
    totals = np.tile([9, 8, 7, 6], (rows, 1))
    matches = np.sort(rng.integers(0, 7, (rows, 4)), axis=1)[:, ::-1]
    statistics = np.column_stack([np.full(rows, 9), rng.integers(8, 11, rows), matches, totals]).astype(float)
    return TuningPool(offsets, ("a", "b", "c"), HypothesisFeatures(features), metric_named(metric), statistics, np.arange(12))


LESSONS = st.builds(
    replace,
    st.just(PLAINEST),
    rule=st.sampled_from([MARGIN, PLAIN]),
    target=st.sampled_from([HOPE, BEST]),
    rival=st.sampled_from([FEAR, MODEL]),
    cap=st.sampled_from([0.01, 1.0, 1e9]),
    scale=st.sampled_from([1.0, 100.0]),
    background=st.sampled_from(["hope", "model"]),
    decay=st.sampled_from([0.0, 0.9, 0.999]),
    average=st.sampled_from(["all", "epoch", "none"]),
)


@given(st.integers(0, 2**32), LESSONS, st.sampled_from(["bleu|tok:none", "wer"]))
@settings(max_examples=60, deadline=None)
def test_an_epoch_is_what_plain_steps_make(seed: int, lesson: Lesson, metric: str) -> None:
    pool, start = random_pool(seed, metric), np.array([0.5, 0.3, 0.2])
    outcome = learn(TuningData(pool, start), lesson, np.random.default_rng(1), SILENT)
    expected = plain_epoch(pool, start, lesson)[0 if lesson.average == "none" else 1]
    assert outcome.weights == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(st.integers(0, 2**32), LESSONS)
@settings(max_examples=20, deadline=None)
def test_sparse_columns_are_learnt_as_dense_ones(seed: int, lesson: Lesson) -> None:
    pool = random_pool(seed)
    dense = np.where(np.abs(pool.features.dense) < 0.5, 0.0, pool.features.dense)
    outcomes = [
        learn(TuningData(replace(pool, features=matrix), np.ones(3)), lesson, np.random.default_rng(1), SILENT).weights
        for matrix in (HypothesisFeatures(dense), HypothesisFeatures(dense[:, :1].copy(), csr_matrix(dense[:, 1:])))
    ]
    assert outcomes[0] == pytest.approx(outcomes[1], rel=1e-6, abs=1e-6)
