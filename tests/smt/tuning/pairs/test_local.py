"""Weights of single sentences: the thesis' values (digest 4.9), the identities of digest §8, and what is bad."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from app.errors import InputError
from app.metrics import metric_named
from app.running.journal import SILENT, FileJournal
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.pairs.local import LocalMixture, chosen_locally, local_weights, parse_local, tune_locally
from app.smt.tuning.pairs.samples import Samples, draw_samples, weight_global
from app.smt.tuning.pairs.similarity import source_similarities
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.tune import tune
from benchmarks.smt.protocols.wro_rows import compare_rows
from tests.smt.tuning.pairs.test_tuners import moses_pool, pool_by_hand


@pytest.fixture(scope="module")
def pool(shared: Path) -> TuningPool:
    return moses_pool(shared)


@pytest.fixture(scope="module")
def similarities() -> np.ndarray:
    """Of three test sentences and 100 development sentences; not those of texts, which are not there."""
    return np.random.default_rng(5).random((3, 100))


SETTINGS = parse_local("wro-local|prior:0")


def samples_of(pool: TuningPool, top: float = 0.1, weights: np.ndarray | None = None) -> Samples:
    return draw_samples(pool, SETTINGS, np.random.default_rng(1), SILENT, top, weights)


def test_local_weights_of_the_thesis() -> None:
    """Equation 5.4, and Algorithm 5.2, which exchanges the constants."""
    of_all, similar = np.array([1, 1, 0.818731, 1, 1]), np.array([0.05, 0.5, 0.3, 0, 1])
    assert LocalMixture().weights(of_all, similar) == pytest.approx([0.136364, 0.545455, 0.347157, 0.090909, 1], abs=5e-7)
    assert LocalMixture(10, 1).weights(of_all, similar) == pytest.approx([0.913636, 0.954545, 0.771573, 0.909091, 1], abs=1e-6)
    assert LocalMixture(normalised=True).weights(of_all, similar).mean() == pytest.approx(1)
    assert LocalMixture(0, 1, normalised=True).weights(of_all, np.zeros(5)).tolist() == [0] * 5


def test_global_weights_of_the_thesis() -> None:
    """Equation 5.3, by a metric whose scores are what is said."""
    for top, weight in ((0, 0.670320), (0.1, 0.740818), (0.2, 0.818731), (0.3, 0.904837), (0.39, 0.990050), (0.4, 1), (0.9, 1)):
        pool = pool_by_hand([["a"]], np.ones((1, 1)), ["a"])
        scored = replace(pool, metric=metric_named("chrf"))
        scored.__dict__["gains"] = np.array([top])
        assert weight_global(scored).tolist() == pytest.approx([weight], abs=5e-7)


def test_similarities_of_the_thesis() -> None:
    test = ["the cat sat on a mat today"]
    development = ["the cat sat on the mat today", "a b c d e f g", test[0]]
    none = source_similarities(["the cat sat on the mat today", "x b c d e f g", test[0]], test, alpha=0)
    assert none[0] == pytest.approx([0.488923, 0, 1], abs=5e-7)
    development[1] = "x b c d e f g"
    assert source_similarities(development, test)[0] == pytest.approx([0.594604, 0.156197, 1], abs=5e-7)
    assert source_similarities(development, test, scale=10)[0] == pytest.approx([5.94604, 1.56197, 10], abs=5e-6)


words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4))
def test_similarities_are_simpbleu_with_a_plain_penalty(development: list[str], test: list[str]) -> None:
    """Where the development text is longer the penalty is 1, however it is smoothed."""
    metric = metric_named("simpbleu:PGBC4|tok:none|alpha:1")
    rows = source_similarities(development, test, tokenise="none")
    for i, reference in enumerate(test):
        statistics = metric.prepare([[reference]]).statistics(development, np.zeros(len(development), np.int64))
        expected = metric.segment_scores(statistics) / 100
        for j, text in enumerate(development):
            if text and len(text.split()) > len(reference.split()):
                assert rows[i, j] == pytest.approx(expected[j], rel=1e-12)
            assert 0 <= rows[i, j] <= 1


def test_similarities_of_odd_texts() -> None:
    odd = ["", "\ud800 a", "שלום עולם", "a" * 10_000, "\x00"]
    assert np.isfinite(source_similarities(odd, odd)).all()
    assert source_similarities(odd, []).shape == (0, 5)
    assert source_similarities(["שלום עולם טוב מאד"], ["שלום עולם טוב מאד"])[0, 0] == 1


def test_without_similarity_every_sentence_has_the_weights_of_all(pool: TuningPool, similarities: np.ndarray) -> None:
    samples = samples_of(pool, weights=weight_global(pool))
    whole = samples.fit(SETTINGS).weights
    for row in local_weights(samples, similarities, SETTINGS, LocalMixture(1, 0)):
        assert row == pytest.approx(whole, rel=1e-9)


def test_without_global_weights_it_is_trans_os(pool: TuningPool, similarities: np.ndarray) -> None:
    mixed = local_weights(samples_of(pool, weights=weight_global(pool)), similarities, SETTINGS, LocalMixture(0, 10))
    samples = samples_of(pool)
    for row, similar in zip(mixed, similarities, strict=True):
        assert row == pytest.approx(samples.fit(SETTINGS, similar).weights, rel=1e-8)


def test_with_equal_similarities_and_all_in_reach_it_is_os(pool: TuningPool) -> None:
    """The scale of weights does nothing, as there is no prior; with one it does, unless weights are normalised."""
    samples = samples_of(pool)
    equal = np.full((1, len(pool)), 0.3)
    assert local_weights(samples, equal, SETTINGS)[0] == pytest.approx(samples.fit(SETTINGS).weights, rel=1e-8)
    held = SETTINGS | {"prior": 1.0}
    whole = samples.fit(held).weights
    assert np.abs(local_weights(samples, equal, held)[0] - whole).max() > 1e-4
    assert local_weights(samples, equal, held, LocalMixture(normalised=True))[0] == pytest.approx(whole, rel=1e-8)


def test_where_a_regression_begins_changes_nothing(pool: TuningPool, similarities: np.ndarray) -> None:
    samples = samples_of(pool)
    start = samples.fit(SETTINGS).weights
    cold, warm = (local_weights(samples, similarities, SETTINGS, start=begin) for begin in (None, start))
    assert warm == pytest.approx(cold, rel=1e-6)


def test_the_figure_of_the_thesis_turns_with_the_sentence_it_is_like() -> None:
    """Figure 5.1: two development sentences that want opposite weights; a test sentence gets those of its own kind."""
    lists = pool_by_hand([["x y z", "a b c d"], ["a b c d", "x y z"]], np.array([[1, 1], [2, 1], [1, 2], [3, 2]]), ["a b c d"] * 2)
    data = TuningData(lists, np.ones(2), ["der Hund schläft heute lang", "die Katze wacht nachts oft"])
    # Smoothed, the likeness of texts without a common word would weigh too much beside that of such short ones.
    local = tune_locally(data, ["der Hund schläft heute kurz", "die Katze wacht nachts nie"], "wro-local|alpha:0|prior:0")
    assert np.sign(local.weights[:, 0]).tolist() == [1, -1]
    assert local.notes["segments_without_pairs"] == 0
    chosen = chosen_locally(lists, local.weights)
    assert chosen.tolist() == [1, 2]


def test_each_segment_is_chosen_for_by_its_own_weights(pool: TuningPool) -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(len(pool), 15))
    expected = [pool.best_hypotheses(weights[i])[i] for i in range(len(pool))]
    assert chosen_locally(pool, weights).tolist() == expected
    dense = pool.features.dense
    split = replace(pool, features=HypothesisFeatures(np.ascontiguousarray(dense[:, :9]), csr_matrix(dense[:, 9:])))
    assert chosen_locally(split, weights).tolist() == expected


def test_local_tuning_goes_on_where_it_was_killed(pool: TuningPool, tmp_path: Path) -> None:
    small = pool.rows(np.arange(20))
    data = TuningData(small, np.ones(15), [f"w{i} a b" for i in range(20)])
    sources = [f"w{i} b" for i in range(25)]
    whole = FileJournal(tmp_path / "whole")
    expected = tune_locally(data, sources, journal=whole).weights
    whole.close()
    (tmp_path / "torn").write_bytes((tmp_path / "whole").read_bytes()[:2000])
    torn = FileJournal(tmp_path / "torn")
    assert tune_locally(data, sources, journal=torn).weights.tobytes() == expected.tobytes()
    torn.close()
    assert np.abs(expected).sum(1) == pytest.approx(np.ones(25))


def test_features_that_never_differ_keep_their_weights() -> None:
    pool = pool_by_hand([["x", "a b c d"]], np.array([[1, 7], [2, 7]]), ["a b c d"])
    local = tune_locally(TuningData(pool, np.array([1.0, 3.0]), ["a"]), ["a", "b"])
    assert local.weights[:, 1].tolist() == [0.75, 0.75]
    constant = tune_locally(TuningData(pool_by_hand([["x", "a"]], np.ones((2, 1)), ["a"]), np.ones(1), ["a"]), ["a", "b"])
    assert constant.weights.tolist() == [[1], [1]]


def test_a_sentence_like_no_other_gets_the_weights_of_all() -> None:
    pool = pool_by_hand([["x", "a b c d"]], np.array([[1, 7], [2, 5]]), ["a b c d"])
    local = tune_locally(TuningData(pool, np.ones(2), ["a"]), ["b c d e f g"], "wro-local|global:0|alpha:0")
    assert local.weights[0].tolist() == local.common_weights.tolist()
    assert local.notes["sentences_without_weights"] == 1


def test_what_cannot_be_is_said() -> None:
    pool = pool_by_hand([["x", "a b c d"]], np.array([[1, 7], [2, 5]]), ["a b c d"])
    data = TuningData(pool, np.ones(2))
    for sources, spec, code in (
        (None, "wro-local", "missing-evidence"),
        (["a", "b"], "wro-local", "unequal-lengths"),
        (["a"], "wro", "invalid-tuning"),
        (["a"], "wro-local|rounds:3", "invalid-tuning"),
        (["a"], "wro-local|global:0|similar:0", "invalid-tuning"),
    ):
        with pytest.raises(InputError) as raised:
            tune_locally(replace(data, sources=sources), ["c"], spec)
        assert raised.value.code == code
    assert tune_locally(replace(data, sources=["a"]), []).weights.shape == (0, 2)


def test_all_rows_of_the_table_are_tuned_and_measured_on_any_metric(pool: TuningPool, shared: Path) -> None:
    small = pool.rows(np.arange(30))
    words = [f"w{i % 7} w{i % 5} w{i % 3} x" for i in range(30)]
    other = replace(small, metric=replace(small.metric, smooth="exp", name="bleu-exp"))
    rows = compare_rows(TuningData(small, np.ones(15), words), [small, other], words, (1, 2), "draws:200")
    assert [row.name for row in rows] == [
        "Baseline PRO", "Global weight", "OS", "Trans", "Trans-OS", "WRO-Global", "WRO-Local"
    ]  # fmt: skip
    for row in rows:
        assert set(row.scores) == {"bleu", "bleu-exp"}
        assert row.summaries["bleu"].mean == pytest.approx(np.mean(row.scores["bleu"]))
        assert (row.summaries["bleu"].p_value is None) == (row.name == "Baseline PRO")
    alone = tune(TuningData(small, np.ones(15)), "wro|rounds:1|take:last|draws:200", (1, 2))
    assert rows[5].scores["bleu"] == pytest.approx([run.score for run in alone.runs])
