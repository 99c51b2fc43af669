"""A training that was interrupted anywhere and resumed gives the bytes of one that was not."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.arrays import Float64s
from app.predictors import Model, save_model
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.predictors.training.multi_task import LearningTask, train_together
from app.predictors.training.selection import METHODS, select_features
from app.running.journal import SILENT, FileJournal, Journal, Share, decode, encode, recall_named

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(5)
X = RNG.normal(size=(160, 5))
Y = np.clip(0.4 + 0.15 * np.sin(X[:, 0]) + 0.1 * X[:, 1] + RNG.normal(scale=0.03, size=160), 0, 1)
NAMES = ["a", "b", "c", "d", "e"]
SETS = split_held_out(TrainingSet(X, Y, "made up", "0" * 64), 0.3, 1)
LEARNERS = (
    "gp", "gp|inducing:0|kernel:rq+linear", "gp|learn:yes|inducing:10", "gp|warp:tanh|inducing:20", "gp|optimiser:gpy|inducing:10",
    "svr|search:halving", "svr|kernel:linear", "ridge", "lasso", "trees|warp:logit", "blend",
)  # fmt: skip
T = TypeVar("T")
vectors = arrays(np.float64, st.integers(0, 20))


class Stopped(Exception):
    """The training was stopped."""


class LimitedJournal:
    """Computes only so many arrays, and keeps them."""

    def __init__(self, recorded: list[Float64s], most: int) -> None:
        self.recorded, self._left, self._given = recorded, most, 0
        self.shares: list[float] = []

    def report(self, task: str, share: float) -> None:
        assert task
        assert 0 <= share <= 1
        self.shares.append(share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        if self._given == len(self.recorded):
            if self._left == 0:
                raise Stopped
            self._left -= 1
            self.recorded += decode(encode([compute()]))
        self._given += 1
        return self.recorded[self._given - 1].copy()


def trained(spec: str, journal: Journal) -> Model:
    return train_model(*SETS, "ro-en", "hter", "any", NAMES, spec, created="2026-01-01", journal=journal)


def adapted(journal: Journal) -> Model:
    base = trained("ridge", SILENT)
    return adapt_model(base, TrainingSet(X[:40], 1 - Y[:40], "domain", "0" * 64), "private", created="2026-01-01", journal=journal)


def together(journal: Journal) -> Model:
    parts = [TrainingSet(X[rows], Y[rows], name, "0" * 64) for name, rows in (("a", slice(80)), ("b", slice(80, 160)))]
    tasks = [LearningTask(part.name, "ro-en", *split_held_out(part, 0.3, 1)) for part in parts]
    return train_together(tasks, "hter", "any", NAMES, "rank", inducing=20, created="2026-01-01", journal=journal)["b"]


TRAININGS: Mapping[str, Callable[[Journal], Model]] = {
    **{spec: lambda journal, spec=spec: trained(spec, journal) for spec in LEARNERS},  # type: ignore[misc]
    "adapted": adapted,
    "together": together,
}


def files(model: Model, folder: Path) -> list[bytes]:
    save_model(model, folder)
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def interrupted(train: Callable[[Journal], T], after: list[int]) -> tuple[T, LimitedJournal]:
    """Killed after so many computed arrays, once for each number; then resumed to the end."""
    recorded: list[Float64s] = []
    for most in after:
        with pytest.raises(Stopped):
            train(LimitedJournal(recorded, most))
    last = LimitedJournal(recorded, 10**9)
    return train(last), last


@pytest.mark.parametrize("name", TRAININGS)
def test_a_resumed_training_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    train = TRAININGS[name]
    whole = LimitedJournal([], 10**9)
    expected = files(train(whole), tmp_path / "whole")
    assert files(train(SILENT), tmp_path / "silent") == expected
    count = len(whole.recorded)
    assert whole.shares
    # Killed before the first array, somewhere, and before the last one.
    after = sorted({0, int(np.random.default_rng(len(name)).integers(0, count)), count - 1})
    resumed, journal = interrupted(train, list(np.diff([0, *after])))
    assert files(resumed, tmp_path / "resumed") == expected
    assert encode(journal.recorded) == encode(whole.recorded)


@pytest.mark.parametrize("method", METHODS)
def test_a_resumed_selection_is_the_same(method: str) -> None:
    def select(journal: Journal) -> object:
        curve = select_features(*SETS, "ro-en", "hter", NAMES, method, "gp|inducing:10", journal=journal)
        return repr(curve), curve.worth.tobytes()

    whole = LimitedJournal([], 10**9)
    expected = select(whole)
    count = len(whole.recorded)
    assert interrupted(select, list(np.diff([0, 0, count // 3, count - 1])))[0] == expected


def test_a_failed_evidence_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.predictors.learners.gp import fitting

    evaluate, calls = fitting.sparse_evidence, []

    def sometimes(*args: object) -> object:
        calls.append(1)
        if len(calls) == 4:
            raise fitting.LinAlgError
        return evaluate(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fitting, "sparse_evidence", sometimes)
    whole = LimitedJournal([], 10**9)
    expected = trained("gp|inducing:10", whole).regressor.arrays()
    assert whole.recorded[3][0] == 1e25
    assert not whole.recorded[3][1:].any()
    calls[:] = [1] * 4
    resumed = trained("gp|inducing:10", LimitedJournal(whole.recorded[:6], 10**9)).regressor.arrays()
    assert {name: array.tobytes() for name, array in resumed.items()} == {name: array.tobytes() for name, array in expected.items()}


@given(st.lists(vectors), st.integers(0, 40), st.binary(max_size=8))
def test_the_codec_keeps_every_bit_and_drops_what_is_torn(recorded: list[Float64s], torn: int, rubbish: bytes) -> None:
    raw = encode(recorded)
    assert b"".join(encode([array]) for array in recorded) == raw
    assert [array.tobytes() for array in decode(raw)] == [array.tobytes() for array in recorded]
    assert len(decode(raw + rubbish)) == len(recorded)
    cut = decode(raw[: max(0, len(raw) - torn)])
    assert [array.tobytes() for array in cut] == [array.tobytes() for array in recorded[: len(cut)]]
    if raw and torn:
        assert len(cut) < len(recorded)


@given(st.dictionaries(st.text("abc.é0", min_size=1), arrays(np.float64, array_shapes(min_dims=0, min_side=0)), min_size=1))
def test_named_arrays_are_one_record(named: dict[str, Float64s]) -> None:
    journal = LimitedJournal([], 1)
    for _ in range(2):
        recalled = recall_named(journal, lambda: named)
        assert list(recalled) == list(named)
        for name, array in named.items():
            assert recalled[name].shape == array.shape
            assert recalled[name].tobytes() == array.tobytes()
        journal = LimitedJournal(journal.recorded, 0)


def test_a_file_is_continued_behind_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    told: list[tuple[str, float]] = []
    for run in range(4):
        journal = FileJournal(path, lambda what, share: told.append((what, share)))
        Share(journal, 0.5, 1.0, "part").report("whole", 0.5)
        values = [float(journal.recall(partial(np.full, 1, 100.0 * run + place))[0]) for place in range(run + 1)]
        assert values == [0.0, 101.0, 202.0, 303.0][: run + 1]
        journal.close()
        with path.open("ab") as file:
            file.write(encode([np.ones(3)])[: -1 - run])
    assert told == [("part", 0.75)] * 4


def test_a_killed_process_is_continued_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    code = (
        "from pathlib import Path; from tests.running import test_journal as t\n"
        f"t.trained('gp|inducing:20', t.FileJournal(Path({str(path)!r}), lambda *told: print('going', flush=True)))\n"
        "print('over')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(12)]
        process.kill()
    assert lines == ["going\n"] * 12
    before = len(decode(path.read_bytes()))
    assert before >= 11
    journal = FileJournal(path)
    resumed = files(trained("gp|inducing:20", journal), tmp_path / "resumed")
    journal.close()
    assert len(decode(path.read_bytes())) > before
    assert resumed == files(trained("gp|inducing:20", SILENT), tmp_path / "whole")
