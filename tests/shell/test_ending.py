"""How a command ends that is stopped within what numba has compiled, where Python makes an error of its own of it."""

import sys

import pytest
from typer.core import TyperGroup

from app.shell import program


def _of_numba(reason: BaseException) -> SystemError:
    """What numba raises where something else was raised meanwhile, here within a function that another calls."""
    inner, outer = (SystemError("CPUDispatcher(...) returned a result with an exception set") for _ in range(2))
    inner.__cause__, outer.__context__ = reason, inner
    return outer


@pytest.mark.parametrize(("reason", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_stops_within_compiled_code_are_quiet(
    reason: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise _of_numba(reason)

    monkeypatch.setattr(TyperGroup, "invoke", stopped)
    monkeypatch.setattr(sys, "argv", ["assay", "score"])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        program.run()
    assert ended.value.code == status and capfd.readouterr() == ("", "")


def test_another_error_of_python_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise SystemError("bad call") from ValueError("why")

    monkeypatch.setattr(TyperGroup, "invoke", broken)
    monkeypatch.setattr(sys, "argv", ["assay", "score"])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemError, match="bad call") as raised:
        program.run()
    assert isinstance(raised.value.__cause__, ValueError)
