"""Pairs and sentence BLEU against the digest of Song's thesis (3.7, 4.9) and plain Python."""

import gzip
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.tuning.pairs.samples import weight_global
from app.smt.tuning.pairs.sampling import MARGIN, Sampler, admissible, draw_pairs, oracle_list
from app.smt.tuning.pairs.sampling_kernels import strongest_pairs
from app.smt.tuning.pairs.sentence_bleu import oracle_scores, pair_gains, smoothed_bleu
from app.smt.tuning.pool import TuningPool, pool_of
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of
from app.text.reading.n_best_lists.bars import read_n_best

# The digest's ten metric values, whose differences of .05 are not equal in binary.
TEN = np.array([0.50, 0.48, 0.47, 0.46, 0.44, 0.40, 0.35, 0.30, 0.20, 0.10])


def pool_of_gains(*lists: list[float]) -> tuple[TuningPool, np.ndarray]:
    """A pool whose hypotheses are as good as is said, with one feature each of its own."""
    values = np.array([value for row in lists for value in row])
    size = len(values)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])])
    scored = NBestLists(offsets, PackedTexts.of(["a"] * size), np.zeros(size), ("f",), np.arange(size, dtype=float)[:, None])
    return pool_of(scored, metric_named("bleu|tok:none"), [["a"] * len(lists)]), values


def moses_run(shared: Path, run: int, references: int) -> TuningPool:
    folder = shared / "data" / "moses-mert"
    with gzip.open(folder / f"run{run}.nbest.gz", "rt", encoding="utf-8") as lines:
        lists = read_n_best(lines)
    texts = [(folder / f"reference.{k}").read_text("utf-8").split("\n")[:5] for k in range(references)]
    return pool_of(lists, metric_named("bleu|tok:none|smooth:none"), texts)


# Digest 3.7: of each sentence the 1-best, the best, its place, the global weight; and admissible pairs of one reference.
MOSES = {
    (1, 1): [(0.284388, 0.352826, 46, 0.953922), (0.782542, 0.782542, 0, 1), (0.276161, 0.378068, 81, 0.978307),
             (0.221834, 0.229639, 62, 0.843360), (0.169436, 0.306205, 107, 0.910469)],
    (1, 3): [(0.284388, 0.408564, 149, 1), (1, 1, 0, 1), (0.344526, 0.412516, 81, 1),
             (0.221834, 0.229639, 62, 0.843360), (0.169436, 0.306205, 107, 0.910469)],
    (7, 1): [(0.219575, 0.285342, 7, 0.891671), (0.782542, 1, 183, 1), (0.357816, 0.373890, 4, 0.974228),
             (0.211378, 0.214973, 11, 0.831082), (0.417144, 0.417144, 0, 1)],
    (7, 3): [(0.352826, 0.352826, 0, 0.953922), (1, 1, 0, 1), (0.361815, 0.378385, 6, 0.978617),
             (0.227630, 0.230906, 154, 0.844429), (0.417144, 0.417144, 0, 1)],
}  # fmt: skip
ADMISSIBLE = {1: [8078, 11641, 3582, 0, 10285], 7: [7279, 14846, 11676, 0, 13301]}


@pytest.mark.parametrize(("run", "references"), MOSES)
def test_the_lists_of_moses(shared: Path, run: int, references: int) -> None:
    pool = moses_run(shared, run, references)
    gains = pair_gains(pool)
    tops = oracle_scores(pool)
    weights = weight_global(pool)
    for i, (first, top, place, weight) in enumerate(MOSES[run, references]):
        own = gains[pool.offsets[i] : pool.offsets[i + 1]]
        assert own[0] == pytest.approx(first, abs=5e-7)
        assert tops[i] == own.max() == pytest.approx(top, abs=5e-7)
        assert np.argmax(own) == place
        assert weights[i] == pytest.approx(weight, abs=5e-7)
    if references == 1:
        assert admissible(pool, gains, 0.05).tolist() == ADMISSIBLE[run]


@pytest.mark.parametrize("until_accepted", [False, True])
def test_a_segment_without_admissible_pairs_is_passed_over(shared: Path, until_accepted: bool) -> None:
    pool = moses_run(shared, 1, 1)
    sampler = Sampler(500, 50, until_accepted=until_accepted)
    pairs = draw_pairs(pool, pair_gains(pool), sampler, np.random.default_rng(1), SILENT)
    assert np.diff(pairs.offsets).tolist() == [50, 50, 50, 0, 50]
    assert (pairs.margins > 0.05).all()


@pytest.mark.parametrize("until_accepted", [False, True])
@pytest.mark.parametrize("distinct", [False, True])
def test_many_that_stay_are_those_of_the_kernel(until_accepted: bool, distinct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, gains = pool_of_gains(np.round(np.random.default_rng(4).random(40), 2).tolist())
    sampler = Sampler(3000, 700, 0.2, until_accepted, 0.5, distinct)
    drawn = []
    for few in (500, 700):
        monkeypatch.setattr("app.smt.tuning.pairs.sampling.INSERTION_LIMIT", few)
        drawn.append(draw_pairs(pool, gains, sampler, np.random.default_rng(1), SILENT))
    for name in ("better", "worse", "margins"):
        assert np.array_equal(*(getattr(pairs, name) for pairs in drawn))
    assert len(drawn[0]) == 700 or distinct


def test_more_pairs_than_can_be_held_are_refused() -> None:
    pool, gains = pool_of_gains([0.1, 0.9])
    assert len(draw_pairs(pool, gains, Sampler(100, 10_000_000), np.random.default_rng(1), SILENT)) < 100
    with pytest.raises(InputError, match="at most pairs:5000000"):
        draw_pairs(pool, gains, Sampler(10_000_000, 10_000_000), np.random.default_rng(1), SILENT)


def test_ten_values_have_33_pairs_that_are_far_apart_and_an_oracle_six() -> None:
    pool, gains = pool_of_gains(TEN.tolist())
    assert admissible(pool, gains, 0.05).tolist() == [33]
    assert oracle_list(TEN, 0.1).tolist() == [0]
    pairs = draw_pairs(pool, gains, Sampler(5000, 5000), np.random.default_rng(1), SILENT)
    assert len({(a, b) for a, b in zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)}) == 33
    pairs = draw_pairs(pool, gains, Sampler(5000, 5000, top=0.1), np.random.default_rng(1), SILENT)
    distinct = {(a, b) for a, b in zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)}
    assert distinct == {(0, k) for k in range(4, 10)}


def test_the_oracle_list_is_a_tenth_and_at_least_one() -> None:
    assert oracle_list(np.zeros(7), 0.1).tolist() == [0]
    assert len(oracle_list(np.arange(30.0), 0.1)) == 3
    assert len(oracle_list(np.arange(31.0), 0.1)) == 4
    assert oracle_list(np.array([1.0, 3.0, 2.0, 3.0]), 0.5).tolist() == [1, 3]
    assert oracle_list(np.array([1.0, 3.0]), 0).tolist() == [1]
    assert oracle_list(TEN, 1).tolist() == list(range(10))


def test_thesis_sampling_goes_on_until_enough_are_accepted() -> None:
    """A list with few admissible pairs: the toolkit's draws find few, the thesis' loop goes on."""
    pool, gains = pool_of_gains([0.5] * 20 + [0.9])
    drawn = draw_pairs(pool, gains, Sampler(40, 1000), np.random.default_rng(3), SILENT)
    accepted = draw_pairs(pool, gains, Sampler(40, 1000, until_accepted=True), np.random.default_rng(3), SILENT)
    assert len(drawn) < 10
    assert len(accepted) == 40
    assert set(accepted.better.tolist()) == {20}


def test_thesis_sampling_gives_up_after_twenty_times_as_many_draws() -> None:
    pool, gains = pool_of_gains([0.5] * 999 + [0.9])
    pairs = draw_pairs(pool, gains, Sampler(50, 50, until_accepted=True), np.random.default_rng(3), SILENT)
    assert len(pairs) < 50


def slowly(
    gains: np.ndarray, top: np.ndarray, begin: int, end: int, draws: np.ndarray, most: int, keep: int, distinct: bool
) -> list[tuple[int, int]]:
    pairs = [(int(top[int(a * len(top))]), begin + int(b * (end - begin))) for a, b in draws.T]
    far = [(a, b) for a, b in pairs if abs(gains[a] - gains[b]) > 0.05 + MARGIN][:most]
    once = {frozenset(pair): pair for pair in reversed(far)}
    kept = [pair for pair in far if not distinct or once.pop(frozenset(pair), None)]
    return sorted(kept, key=lambda pair: -abs(gains[pair[0]] - gains[pair[1]]))[:keep]


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 40), st.integers(1, 70), st.booleans())
def test_the_kernel_keeps_what_a_stable_sort_keeps(seed: int, size: int, keep: int, most: int, distinct: bool) -> None:
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 8, 2 * size + 9) / 10
    spans = np.array([[2, 2 + size], [5 + size, 5 + 2 * size]])
    tops = [begin + np.sort(rng.choice(size, count, replace=False)) for begin, count in zip(spans[:, 0], (1, size), strict=True)]
    draws = rng.random((2, 2, 60))
    first, second, counts, accepted = strongest_pairs(
        gains, np.concatenate(tops), offsets_of([1, size]), spans, draws, most, keep, 0.05 + MARGIN, distinct
    )
    expected = [slowly(gains, tops[i], *spans[i].tolist(), draws[i], most, keep, distinct) for i in range(2)]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected[0] + expected[1]
    assert counts.tolist() == [len(pairs) for pairs in expected]
    for i in range(2):
        assert accepted[i] == len(slowly(gains, tops[i], *spans[i].tolist(), draws[i], most, 60, False))


@pytest.mark.parametrize("until_accepted", [False, True])
def test_distinct_pairs_come_once(until_accepted: bool) -> None:
    pool, gains = pool_of_gains(TEN.tolist())
    sampler = Sampler(500, 20, until_accepted=until_accepted, distinct=True)
    pairs = draw_pairs(pool, gains, sampler, np.random.default_rng(1), SILENT)
    distances = sorted((abs(a - b) for a, b in combinations(TEN.tolist(), 2)), reverse=True)[:20]
    assert pairs.margins.tolist() == pytest.approx(distances)
    assert len(set(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True))) == 20


@given(st.lists(st.lists(st.integers(0, 20).map(lambda value: value / 20), min_size=1, max_size=12), min_size=1, max_size=4))
def test_admissible_pairs_are_counted(lists: list[list[float]]) -> None:
    pool, gains = pool_of_gains(*lists)
    expected = [sum(abs(a - b) > 0.05 + MARGIN for a, b in combinations(row, 2)) for row in lists]
    assert admissible(pool, gains, 0.05).tolist() == expected


def test_the_brevity_penalties() -> None:
    """Digest 4.3: C1 and C6 against R1, α = 1, plain and smoothed; Nakov's adds to the reference alone."""
    rows = np.array([[3, 9, 3, 2, 1, 0, 3, 2, 1, 0], [8, 9, 3, 1, 0, 0, 8, 7, 6, 5]], float)
    assert smoothed_bleu(rows) == pytest.approx([0.135335, 0.200143], abs=5e-7)
    assert smoothed_bleu(rows, 1.0, "smoothed") == pytest.approx([0.223130, 0.202942], abs=5e-7)
    assert smoothed_bleu(rows, 1.0, "reference") == pytest.approx(
        [np.exp(1 - 10 / 3), 0.200143 / np.exp(-1 / 8) * np.exp(-2 / 8)], abs=5e-7
    )
    assert smoothed_bleu(rows, 0.0).tolist() == [0, 0]


def test_empty_texts_have_defined_scores() -> None:
    rows = np.zeros((2, 10))
    rows[1, 1] = 5
    for alpha, brevity in product((0.0, 1.0), ("plain", "smoothed", "reference")):
        scores = smoothed_bleu(rows, alpha, brevity)
        assert np.isfinite(scores).all() and (scores >= 0).all() and (scores <= 1).all()
    assert smoothed_bleu(rows).tolist() == [0, 0]


def test_reach_is_measured_by_bleu_for_simpbleu_and_by_the_metric_otherwise(shared: Path) -> None:
    folder = shared / "data" / "moses-mert"
    with gzip.open(folder / "run1.nbest.gz", "rt", encoding="utf-8") as lines:
        lists = read_n_best(lines)
    reference = (folder / "reference.0").read_text("utf-8").split("\n")[:5]
    by_bleu = oracle_scores(pool_of(lists, metric_named("bleu|tok:none"), [reference]))
    by_simpbleu = oracle_scores(pool_of(lists, metric_named("simpbleu:RABC2|tok:none"), [reference]))
    assert by_simpbleu.tolist() == by_bleu.tolist()
    ter = pool_of(lists, metric_named("ter"), [reference])
    assert oracle_scores(ter) == pytest.approx(1 + np.maximum.reduceat(ter.gains, ter.offsets[:-1]))
