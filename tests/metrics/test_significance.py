"""Tests of significance against sacreBLEU's own p-values, closed forms and what must hold."""

import gzip
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import sacrebleu.metrics as peer
from sacrebleu.significance import PairedTest as PeerTest

from app.errors import InputError
from app.metrics import Significance, metric_named, metrics_named, run_summaries, score_systems, segment_statistics
from app.metrics.significance.paired_tests import holm, paired_randomisation, randomisation_draws
from app.metrics.significance.resampling import resample_weights

SYSTEMS = ("online-B.0", "uedin-nmt.4722", "LMU-nmt-single.4893", "SYSTRAN.4847")
NAMES = ("bleu", "chrf", "ter")


def lines(path: Path, most: int) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return [line.rstrip("\n") for line in text][:most]


@pytest.fixture(scope="module")
def newstest(shared: Path) -> tuple[list[str], dict[str, list[str]]]:
    folder = shared / "data" / "wmt17-en-de"
    return lines(folder / "reference0.de.gz", 120), {s: lines(folder / "systems" / f"{s}.de.gz", 120) for s in SYSTEMS}


@pytest.mark.parametrize(("test", "theirs", "samples"), [("bootstrap", "bs", 300), ("randomisation", "ar", 500)])
def test_p_values_are_sacrebleus(newstest: tuple[list[str], dict[str, list[str]]], test: str, theirs: str, samples: int) -> None:
    reference, systems = newstest
    metrics = {"bleu": peer.BLEU(references=[reference]), "chrf": peer.CHRF(references=[reference]), "ter": peer.TER(references=[reference])}  # fmt: skip
    _, expected = PeerTest(list(systems.items()), metrics, None, theirs, samples)()
    asked = Significance(samples=max(samples, 100), trials=samples, test=test)
    rows = score_systems(metrics_named(NAMES), systems, {"r": reference}, significance=asked)
    for name, label in zip(NAMES, ("bleu", "chrf", "ter"), strict=True):
        mine = [row for row in rows if row.metric == name]
        key = next(k for k in expected if k.lower().startswith(label))
        for row, (score, p_value, *_) in zip(mine, [(r.score, r.p_value) for r in expected[key]], strict=True):
            assert row.score == pytest.approx(score, abs=1e-9)
            if row.against_baseline is None:
                assert p_value is None
            else:
                assert row.against_baseline.p_value == pytest.approx(p_value, abs=1e-12), (name, row.system)


def test_draws_do_not_depend_on_blocks() -> None:
    whole = np.random.default_rng(7).integers(2, size=(700, 33), dtype=bool)
    draws = randomisation_draws(700, 33, 7)
    assert len(draws) == 700 and (draws.rows(0, 700) == whole).all() and (draws.rows(256, 300) == whole[256:300]).all()
    drawn = np.random.default_rng(7).choice(33, size=(50, 33), replace=True)
    assert (resample_weights(33, 50, 7) == [np.bincount(row, minlength=33) for row in drawn]).all()


def test_randomisation_approaches_the_exact_permutation_test() -> None:
    metric = metric_named("wer")
    rng = np.random.default_rng(3)
    a, b = (np.column_stack([rng.integers(0, 9, 8), np.full(8, 10)]).astype(float) for _ in range(2))
    observed = abs(a[:, 0].sum() - b[:, 0].sum())
    swapped = [abs(np.where(keep, a[:, 0] - b[:, 0], b[:, 0] - a[:, 0]).sum()) for keep in product((True, False), repeat=8)]
    exact = float(np.mean(np.array(swapped) > observed))
    found = paired_randomisation(metric, [a], [b], randomisation_draws(20000, 8, 1))
    assert found == pytest.approx(exact, abs=0.015)


def test_a_system_against_itself_is_no_better() -> None:
    texts = {"a": ["x y z", "b"], "same": ["x y z", "b"]}
    for test in ("bootstrap", "randomisation"):
        (_, row) = score_systems(
            metrics_named(["bleu"]), texts, {"r": ["x y", "b"]}, significance=Significance(200, test=test, trials=200)
        )
        assert row.against_baseline is not None
        assert (row.against_baseline.difference, row.against_baseline.wins, row.against_baseline.ties) == (0, 0, 2)
        assert row.against_baseline.p_value == 1


def test_a_handful_of_segments_cannot_be_significant() -> None:
    texts = {"good": ["a b c d", "x y z"], "bad": ["q", "r"]}
    for test in ("bootstrap", "randomisation"):
        asked = Significance(1000, test=test, trials=1000)
        (_, row) = score_systems(metrics_named(["chrf"]), texts, {"r": texts["good"]}, significance=asked)
        assert row.against_baseline is not None and row.against_baseline.p_value >= 0.5


def test_holm_is_the_step_down_of_the_paper() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_wins_follow_the_metrics_direction() -> None:
    texts = {"base": ["a b c", "a b c", "q"], "better": ["a b c d", "a b c d", "z"]}
    rows = score_systems(metrics_named(["ter", "chrf"]), texts, {"r": ["a b c d", "a b c d", "q"]}, significance=Significance(100))
    for row in rows:
        if row.system == "better":
            assert row.against_baseline is not None
            assert (row.against_baseline.wins, row.against_baseline.losses, row.against_baseline.ties) == (2, 1, 0)


def test_runs_of_one_system() -> None:
    texts = {"a1": ["x y z", "b c"], "a2": ["x y", "b c"], "b1": ["x q", "b"], "b2": ["x q", "b"]}
    metrics = metrics_named(["chrf"])
    asked = Significance(samples=100, trials=200, runs={"A": ["a1", "a2"], "B": ["b1", "b2"]})
    rows = run_summaries(metrics, segment_statistics(metrics, texts, {"r": ["x y z", "b c"]}), asked)
    scores = {r.system: r.score for r in score_systems(metrics, texts, {"r": ["x y z", "b c"]})}
    assert [row.system for row in rows] == ["A", "B"]
    assert rows[0].mean == pytest.approx((scores["a1"] + scores["a2"]) / 2)
    assert rows[0].optimiser_deviation == pytest.approx(np.std([scores["a1"], scores["a2"]], ddof=1))
    assert rows[1].optimiser_deviation == 0
    assert rows[0].p_value is None and 0 < (rows[1].p_value or 0) <= 1
    with pytest.raises(InputError, match="runs are names"):
        run_summaries(metrics, segment_statistics(metrics, texts, {"r": ["x", "b"]}), Significance(runs={"A": ["no"]}))
