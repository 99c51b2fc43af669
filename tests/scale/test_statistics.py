"""Scores of corpora in shards, against sacreBLEU and the scores of one process."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import Significance, metrics_named, score_systems
from app.scale.executors.processes import processes
from app.scale.files.shards import shards_of
from app.scale.runs import run
from app.scale.statistics import StatisticsTask, corpus_scores

pa = pytest.importorskip("pyarrow", reason="the extra scale is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check
import sacrebleu  # noqa: E402

ROWS = 2500
RNG = np.random.default_rng(4)
WORDS = np.array(["the", "a", "house", "cat", "big", "small", "red", "runs", "sleeps", ",", ".", "and", "of", "in"])
REFERENCE = [" ".join(RNG.choice(WORDS, RNG.integers(1, 15))) for _ in range(ROWS)]


def damaged(share: float) -> list[str]:
    return [" ".join(word if RNG.random() > share else str(RNG.choice(WORDS)) for word in text.split()) for text in REFERENCE]


TABLE = {"good": damaged(0.1), "bad": damaged(0.3), "reference": REFERENCE}
METRICS = ("bleu", "chrf", "ter")


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("statistics")
    pq.write_table(pa.table(TABLE), folder / "pairs.parquet", row_group_size=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.scale.files.shards.SHARD_ROWS", 600)
        shards = shards_of([f"{folder}/pairs.parquet"])
    assert len(shards) == 5
    task = StatisticsTask(METRICS, {"good": "good", "bad": "bad"}, ("reference",), f"{folder}/out")
    assert run(task, shards, map).rows == ROWS
    return task, shards, folder


def test_scores_are_those_of_one_process_to_the_last_digit(task: Any) -> None:
    scores = corpus_scores(task[0], task[1])
    systems = {name: TABLE[name] for name in ("good", "bad")}
    expected = score_systems(metrics_named(METRICS), systems, {"reference": REFERENCE})
    assert [(row.system, row.metric, row.score, row.signature) for row in scores] == [
        (row.system, row.metric, row.score, row.signature) for row in expected
    ]


def test_scores_are_those_of_sacrebleu(task: Any) -> None:
    found = {(row.metric, row.system): row.score for row in corpus_scores(task[0], task[1])}
    for system in ("good", "bad"):
        for metric, peer in (("bleu", sacrebleu.corpus_bleu), ("chrf", sacrebleu.corpus_chrf), ("ter", sacrebleu.corpus_ter)):
            assert found[metric, system] == pytest.approx(peer(TABLE[system], [REFERENCE]).score, abs=1e-9)


def test_processes_change_no_digit(task: Any, tmp_path: Path) -> None:
    statistics, shards, _ = task
    parallel = StatisticsTask(METRICS, {"good": "good", "bad": "bad"}, ("reference",), f"{tmp_path}/out")
    run(parallel, list(reversed(shards)), processes(2))
    settings = Significance(samples=300)
    assert corpus_scores(parallel, shards, settings) == corpus_scores(statistics, shards, settings)


def test_intervals_of_blocks_are_about_those_of_segments(task: Any) -> None:
    systems = {name: TABLE[name] for name in ("good", "bad")}
    of_segments = score_systems(metrics_named(METRICS), systems, {"reference": REFERENCE}, significance=Significance())
    for row, expected in zip(corpus_scores(task[0], task[1], Significance()), of_segments, strict=True):
        assert row.interval is not None and expected.interval is not None
        width, expected_width = row.interval.high - row.interval.low, expected.interval.high - expected.interval.low
        assert width == pytest.approx(expected_width, rel=0.25) and row.interval.low < row.score < row.interval.high
        assert row.system == "good" or (row.against_baseline is not None and row.against_baseline.p_value < 0.01)


def test_wins_count_segments(task: Any) -> None:
    systems = {name: TABLE[name] for name in ("good", "bad")}
    for baseline in ("good", "bad"):
        settings = Significance(samples=50, baseline=baseline)
        expected = score_systems(metrics_named(METRICS), systems, {"reference": REFERENCE}, significance=settings)
        for row, expected_row in zip(corpus_scores(task[0], task[1], settings), expected, strict=True):
            found, test = row.against_baseline, expected_row.against_baseline
            assert (found is None) == (test is None)
            if found is not None and test is not None:
                assert (found.wins, found.losses, found.ties) == (test.wins, test.losses, test.ties)
                assert found.wins + found.losses + found.ties == ROWS


def test_metrics_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(InputError):
        StatisticsTask(("none-such",), {"a": "a"}, ("b",), "out").cards()
