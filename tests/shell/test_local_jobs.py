"""The steps of a job in a command: wherever it is killed, what was done is not repeated and the outcome is the same."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut
from app.registry.artifacts import ArtifactStore
from app.shell import local_jobs
from app.shell.here import ModelsHere
from app.shell.local_jobs import local_job, run_here

ENGINE = cast(Engine, None)
NUMBERS = [0.1, 0.2, 0.7, 1e-300, 3.0]
# Two chunks a step, then three records of the end and the end itself.
STEPS = ["chunk 0", "chunk 1", "chunk 2", "record 0", "record 1", "record 2", "end"]


class _Numbers(Body):
    numbers: list[float]


class _Killed(BaseException):
    """What a killed process would not even raise."""


@dataclass
class _Adding:
    """An operation that adds numbers, tells what it does, and is killed before one of its steps."""

    killed_before: str | None = None
    done: list[str] = field(default_factory=list)

    def _do(self, what: str) -> None:
        if what == self.killed_before:
            raise _Killed
        self.done.append(what)

    def _split(self, planning: Planning, request: _Numbers) -> Plan:
        return Plan("adding", {"unit": "one"}, cut({"numbers": request.numbers}, planning.chunk_rows))

    def _work(self, context: Context, chunk: Json) -> Output:
        self._do(f"chunk {NUMBERS.index(chunk['numbers'][0]) // 2}")
        context.report("adding", 0.5)
        return {"rows": [], "carry": sum(chunk["numbers"])}

    def _finish(self, context: Context, outputs: Iterable[Output]) -> float:
        total = float(sum(output["carry"] for output in outputs))
        for number in range(3):

            def compute(number: int = number, total: float = total) -> Any:
                self._do(f"record {number}")
                return np.array([total * 1.1, number])

            total = float(context.recall(compute)[0])
        self._do("end")
        if total < 0:
            raise InputError("invalid-request", "a sum is not below 0")
        return total

    @property
    def operation(self) -> Operation[_Numbers, float]:
        steps = Steps(self._split, self._work, self._finish)
        return Operation("adding", "Adds.", _Numbers, float, lambda request, limits: None, steps=steps)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of this test alone, and chunks of two rows."""
    from app.settings import Settings

    settings = Settings(data_dir=tmp_path, chunk_segments=2)
    monkeypatch.setattr(local_jobs, "settings_here", lambda: settings)
    return tmp_path


def run(adding: _Adding, numbers: list[float]) -> Any:
    return run_here(adding.operation, ENGINE, _Numbers(numbers=numbers), cast(ArtifactStore, None))


@pytest.mark.parametrize("step", STEPS)
def test_a_job_goes_on_where_it_was_killed(step: str, data: Path) -> None:
    undisturbed = _Adding()
    expected = run(undisturbed, NUMBERS)
    assert undisturbed.done == STEPS
    killed = _Adding(step)
    with pytest.raises(_Killed):
        run(killed, NUMBERS)
    again = _Adding()
    assert run(again, NUMBERS) == expected
    assert killed.done + again.done == STEPS
    assert list(data.iterdir()) == []


def test_a_torn_record_is_computed_again(data: Path) -> None:
    with pytest.raises(_Killed):
        run(_Adding("record 2"), NUMBERS)
    (journal,) = data.glob(".adding-*/finish.journal")
    journal.write_bytes(journal.read_bytes()[:-3])
    again = _Adding()
    run(again, NUMBERS)
    assert again.done == ["record 1", "record 2", "end"]


def test_another_request_or_version_never_meets_what_was_kept(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(_Killed):
        run(_Adding("end"), NUMBERS)
    other = _Adding()
    run(other, NUMBERS[:-1])
    assert other.done == ["chunk 0", "chunk 1", *STEPS[3:]]
    monkeypatch.setattr(local_jobs, "__version__", "another")
    newer = _Adding()
    run(newer, NUMBERS)
    assert newer.done == STEPS


def test_what_is_refused_leaves_nothing_behind(data: Path) -> None:
    with pytest.raises(InputError, match="below 0"):
        run(_Adding(), [0.1, -5.0])
    assert list(data.iterdir()) == []


def test_the_same_job_is_not_done_twice_at_once(data: Path) -> None:
    request = _Numbers(numbers=NUMBERS)
    with local_job(_Adding().operation, ENGINE, request, cast(ArtifactStore, None)):
        with pytest.raises(InputError, match="another process"):
            run(_Adding(), NUMBERS)
        assert len(list(data.iterdir())) == 1
    assert run(_Adding(), NUMBERS) > 0


def fill(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "file").write_text(text)

    return write


def test_models_never_take_the_place_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models" / "empty").mkdir(parents=True)
    models = ModelsHere(tmp_path / "models")
    for name in ("one", "empty"):
        models.save(name, fill(name), replace=True)
        assert capsys.readouterr().err == f"wrote {tmp_path / 'models' / name}\n"
        with pytest.raises(InputError, match="exists already"):
            models.save(name, fill("more"), replace=True)
    elsewhere = ModelsHere(tmp_path / "models", lambda name: tmp_path / "out" / name)
    elsewhere.save("one", fill("elsewhere"))
    assert [(tmp_path / folder / "one" / "file").read_text() for folder in ("models", "out")] == ["one", "elsewhere"]
