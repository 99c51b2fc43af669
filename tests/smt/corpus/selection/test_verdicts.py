"""Thresholds by people's verdicts: precision and recall against scikit-learn, and words and files that are refused."""

from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from app.errors import InputError
from app.shell.program import program
from app.smt.corpus.selection.verdicts import Verdicts, read_verdicts, thresholds_of


def verdicts_of(good: np.ndarray) -> Verdicts:
    return Verdicts(np.arange(len(good)), good)


@given(st.integers(0, 2**32 - 1), st.integers(60, 300))
def test_measures_are_those_of_scikit_learn_on_the_other_half(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    good = rng.random(count) < 0.5
    good[:20], good[20:40] = True, False
    scores = (rng.integers(0, 30, count) + 6 * good).astype(np.float32)
    first = np.zeros(count, bool)
    for mask in (good, ~good):
        first[np.flatnonzero(mask)[::2]] = True
    for row in thresholds_of(scores, verdicts_of(good)):
        kept = np.zeros(count, bool)
        for half in (first, ~first):
            # The highest of all scores that keeps enough good pairs of one half.
            right = [score for score in scores if (scores[half & good] >= score).mean() >= row.goal]
            kept[~half] = scores[~half] >= max(right)
        assert row.precision == pytest.approx(precision_score(good, kept, zero_division=0))
        assert row.recall == pytest.approx(recall_score(good, kept)) and row.share == pytest.approx(kept.mean())
        assert (scores[good] >= row.score).mean() >= row.goal > (scores[good] > row.score).mean()


def test_scores_that_say_nothing_keep_the_share_of_good_pairs() -> None:
    rng = np.random.default_rng(1)
    good = rng.random(40_000) < 0.3
    for row in thresholds_of(rng.random(len(good)).astype(np.float32), verdicts_of(good)):
        assert row.precision == pytest.approx(0.3, abs=0.02) and row.recall == pytest.approx(row.goal, abs=0.02)


def test_no_threshold_keeps_pairs_without_a_score() -> None:
    good = np.array([True, False] * 50)
    scores = np.where(np.arange(100) < 20, -np.inf, np.arange(100)).astype(np.float32)
    assert [row.goal for row in thresholds_of(scores, verdicts_of(good))] == [0.8, 0.7, 0.5]


def test_verdicts_are_words_and_may_be_absent(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    path.write_text("good\n" * 20 + "\n" + "bad\r\n" * 20)
    verdicts = read_verdicts(path, 41)
    assert verdicts.places.tolist() == [*range(20), *range(21, 41)] and verdicts.good.sum() == 20
    for text, problem in (
        ("good\n" * 40, "40 lines for 41 pairs"),
        ("good\n" * 20 + "fine\n" * 21, "line 21: a verdict is good, bad or empty"),
        ("good\n" * 30 + "bad\n" * 11, "30 good and 11 bad pairs; at least 20 of each"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_verdicts(path, 41)


def test_the_command_prints_thresholds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "source": ["a"] * 100,
        "target": ["b"] * 100,
        "scores": [str(k) for k in range(100)],
        "verdicts": ["bad"] * 50 + ["good"] * 50,
    }.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    arguments = ["corpus", "select", "source", "target", "--method", "given", "--given", "scores", "--verdicts", "verdicts"]
    typer.main.get_command(program).main(arguments, standalone_mode=False)
    captured = capsys.readouterr()
    rows = [line.split() for line in captured.out.splitlines() if "%" in line]
    # Each half keeps 23 of its 25 good pairs: those from 54 or 55 on, which are 22 and 23 of the other half.
    assert ["55", "90%", "90.0%", "100.0%", "45.0%"] in rows
    assert sorted(path.name for path in Path().iterdir()) == ["scores", "source", "target", "verdicts"]
    assert "chose" not in captured.err
    for further in (["--share", "0.5"], ["--out-source", "out"]):
        with pytest.raises(InputError, match="verdicts choose no pairs"):
            typer.main.get_command(program).main([*arguments, *further], standalone_mode=False)
