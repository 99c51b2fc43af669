"""SampleRank against its digest's worked examples, to their digits: batch gains, draws, oracles, updates, a whole trace."""

import numpy as np
import pytest

from app.metrics import metric_named
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.samplerank.chain import Chain, begin_batch, walk
from app.smt.tuning.samplerank.list_chain import ListChain, ListChains
from app.smt.tuning.samplerank.rules import BEST, CLOSEST, HOPE, ChainRules, draw_index, margin_step, oracle, violates
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from tests.smt.tuning.samplerank.list_neighbourhood import ListNeighbourhood

REFERENCES = ["the cat sat on the mat", "he reads a book"]
BLEU = metric_named("bleu|tok:none|smooth:none")


def pool_of_texts(lists: list[list[tuple[str, float, float]]], references: list[str]) -> TuningPool:
    """Lists of (text, two features)."""
    rows = [row for part in lists for row in part]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in lists])])
    features = np.array([row[1:] for row in rows], np.float64)
    texts = PackedTexts.of(row[0] for row in rows)
    return pool_of(NBestLists(offsets, texts, np.zeros(len(rows)), ("a", "b"), features), BLEU, [references])


@pytest.mark.parametrize(
    ("first", "gain"),
    [
        ("the cat sat on mat", 0.4577273678),
        ("the cat sat on the mat", 0.7626164575),
        ("cat sat the mat on", 0.0356930001),
        ("a cat is on the mat", 0.1024778753),
    ],
)
def test_batch_gains(first: str, gain: float) -> None:
    """Digest 4.2."""
    rows = BLEU.prepare([REFERENCES]).statistics([first, "he reads the book"])
    assert CorpusGain(BLEU, 1.0).of(rows[1], rows[:1])[0] == pytest.approx(gain, abs=5e-11)
    assert CorpusGain(BLEU).of(rows[0], rows[1:])[0] == pytest.approx(100 * gain, abs=5e-9)


def test_batch_gains_without_matches_and_without_words() -> None:
    prepared = BLEU.prepare([REFERENCES])
    rows, empty = prepared.statistics(["x y", "z"]), prepared.statistics(["", ""])
    assert CorpusGain(BLEU, 1.0).of(rows[0], rows[1:])[0] == pytest.approx(0.0073438575, abs=5e-11)
    assert CorpusGain(BLEU, 1.0).of(empty[0], empty[1:])[0] == 0.0


def test_other_metrics_gain_as_they_are() -> None:
    wer = metric_named("wer|tok:none")
    rows = wer.prepare([REFERENCES]).statistics(["the cat sat on mat", "he reads the book"])
    assert CorpusGain(wer, 10.0).of(rows[1], rows[:1])[0] == pytest.approx(10 * (1 - 2 / 10))


def test_drawing() -> None:
    """Digest 4.3."""
    scores = np.array([-5.0, -5.5, -7.0])
    assert draw_index(scores, 0.62) == 1
    assert [draw_index(scores, u) for u in (0.0, 0.57409, 0.57410, 0.92230, 0.92231, 0.999999)] == [0, 0, 1, 1, 2, 2]
    assert draw_index(scores, 0.62, temperature=0.1) == 0


def test_three_oracles() -> None:
    """Digest 4.3: the scale of the gain decides."""
    scores, gains = np.array([-5.0, -5.5, -7.0]), np.array([0.300, 0.312, 0.318])
    assert oracle(HOPE, scores, gains, 0) == 0
    assert oracle(HOPE, scores, 100 * gains, 0) == 1
    assert oracle(BEST, scores, gains, 0) == 2
    assert oracle(CLOSEST, scores, gains, 0) == 1
    assert oracle(CLOSEST, scores, gains, 1) == 2
    assert oracle(CLOSEST, scores, gains, 2) == 2


@pytest.mark.parametrize(
    ("better", "sample", "gains", "expected"),
    [
        ((-10, 4, 2), (-8, 5, 1), (0.40, 0.30), (0.48, -0.21, 0.11)),
        ((-10, 4, 3.9), (-9, 4, -1), (0.40, 0.30), (0.4980007997, -0.2, 0.1097960816)),
        ((-10, 4, 3.9), (-9, 4, -1), (40, 30), (0.49, -0.2, 0.149)),
        ((-8, 5, 1), (-10, 4, 2), (0.30, 0.40), (0.5, -0.2, 0.1)),
        ((1, 2, 3), (1, 2, 3), (0.5, 0.1), (0.5, -0.2, 0.1)),
    ],
    ids=["clipped", "not clipped", "points", "constraint met", "equal features"],
)
def test_updates(
    better: tuple[float, ...], sample: tuple[float, ...], gains: tuple[float, float], expected: tuple[float, ...]
) -> None:
    """Digest 4.4: a step is clipped, or makes the constraint an equality, or is none."""
    weights, difference = np.array([0.5, -0.2, 0.1]), np.subtract(better, sample).astype(float)
    behind = gains[0] * (gains[0] - gains[1]) - difference @ weights
    step = margin_step(difference, behind, 0.01)
    assert weights + step * difference == pytest.approx(expected, abs=5e-11)
    if 0 < step < 0.01:
        assert difference @ (weights + step * difference) == pytest.approx(gains[0] * (gains[0] - gains[1]))


def test_the_fourth_update_is_a_violation_all_the_same() -> None:
    assert violates(0.40, 0.30, -6.1, -4.9)
    assert not violates(0.30, 0.30, -6.1, -4.9)


LISTS = [
    [("the cat sat on mat", -4.0, -5.0), ("the cat sat on the mat", -5.5, -6.0), ("a cat is on the mat", -4.5, -6.0)],
    [("he reads the book", -3.0, -4.0), ("he reads a book", -3.4, -4.0), ("he read books", -2.5, -3.0)],
]
TRACE = [(0.985, 0.190), (0.976, 0.180), (0.961, 0.170), (0.957, 0.170)]


@pytest.mark.parametrize("scale", [100.0, 1.0])
def test_the_trace(scale: float) -> None:
    """Digest 4.6: four steps; with gains as fractions, the weights never move."""
    pool = pool_of_texts(LISTS, REFERENCES)
    segments, uniforms = np.array([0, 1, 0, 1]), np.array([0.30, 0.90, 0.55, 0.10])
    trace = TRACE if scale == 100.0 else [(1.0, 0.2)] * 4
    rng, neighbourhood = np.random.default_rng(1), ListNeighbourhood(pool)
    chain = Chain(np.array([1.0, 0.2]), np.zeros(2))
    begin_batch(chain, neighbourhood, np.arange(2))
    for k in range(4):
        walk(chain, neighbourhood, segments[k : k + 1], uniforms[k : k + 1], CorpusGain(BLEU, scale), ChainRules(), True, rng)
        assert chain.weights == pytest.approx(trace[k], abs=1e-12)
    assert chain.mean_weights == pytest.approx(np.mean(trace, axis=0), abs=1e-12)
    assert [chain.hypotheses[0], chain.hypotheses[1] - 3] == [0, 0]
    assert chain.counts.tolist() == ([4, 4, 4, 4] if scale == 100.0 else [4, 1, 0, 0])

    stand, current = ListChain(np.array([1.0, 0.2]), np.zeros(2)), pool.offsets[:-1].copy()
    sums = pool.statistics[current].sum(0)
    lists = ListChains(pool, CorpusGain(BLEU, scale), ChainRules())
    for k in range(4):
        lists.steps(stand, segments[k : k + 1], uniforms[k : k + 1], np.empty((1, 0)), current, sums, True)
        assert stand.weights == pytest.approx(trace[k], abs=1e-12)
        if k == 1:
            assert current.tolist() == [0, 5]
    assert stand.weight_sum() / 4 == pytest.approx(np.mean(trace, axis=0), abs=1e-12)
    assert current.tolist() == [0, 3]
    assert sums == pytest.approx(chain.sums)
    assert stand.counts.tolist() == chain.counts.tolist()


def test_gains_of_the_trace() -> None:
    pool = pool_of_texts(LISTS, REFERENCES)
    gain = CorpusGain(BLEU)
    rows = pool.statistics
    assert gain.of(rows[3], rows[:3]) == pytest.approx([45.772737, 76.261646, 10.247788], abs=5e-7)
    assert gain.of(rows[0], rows[3:]) == pytest.approx([45.772737, 73.623799, 43.197054], abs=5e-7)
    assert gain.of(rows[5], rows[:3]) == pytest.approx([43.197054, 73.088652, 9.096453], abs=5e-7)
