"""Predicted quality as a selector: the numbers are those of the operation, turned so that more is better."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from app.errors import InputError
from app.shell.program import program
from app.smt.commands.corpus import predicted_scores
from app.smt.corpus.selection.pool import Pool


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """An engine whose predictor says how many letters the translation has."""
    (tmp_path / "source").write_text("unu\n\ndoi mere\ntrei\n")
    (tmp_path / "target").write_text("one\nempty\ntwo apples\n" + "x" * 30_000 + "\n")

    def answer(engine: Any, request: Any) -> Any:
        rows = [{"score": len(segment.translation)} for segment in request.segments]
        return {"model": "m", "label": "hter", "direction": engine.direction, "cautions": [], "segments": rows}

    monkeypatch.setattr(predicted_scores, "quality_operation", SimpleNamespace(answer=answer))
    monkeypatch.setattr(predicted_scores, "in_loaded_languages", lambda engine, request: request)
    monkeypatch.chdir(tmp_path)
    return Pool(tmp_path / "source", tmp_path / "target")


@pytest.mark.parametrize(("direction", "sign"), [("lower is better", -1.0), ("higher is better", 1.0)])
def test_more_is_better_whatever_the_label_is(direction: str, sign: float, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = SimpleNamespace(direction=direction, resources=SimpleNamespace(pairs=[1]))
    monkeypatch.setattr(predicted_scores, "engine_here", lambda: engine)
    monkeypatch.setattr(predicted_scores, "BATCH", 2)
    arguments = ["corpus", "select", "source", "target", "--method", "quality", "--pair", "ro-en", "--pairs", "1"]
    typer.main.get_command(program).main([*arguments, "--out-target", "best", "--scores", "scores"], standalone_mode=False)
    assert [float(line) for line in Path("scores").read_text().split()] == [sign * 3, -float("inf"), sign * 10, -float("inf")]
    assert Path("best").read_text() == ("one\n" if sign < 0 else "two apples\n")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--method", "quality"], "--pair: --method quality needs"),
        (["--method", "random", "--pair", "ro-en"], "--pair: this is of --method quality"),
        (["--method", "quality", "--pair", "ro-en", "--given", "scores"], "--given: --method quality has no use"),
    ],
)
def test_options_of_the_one_and_of_the_others(options: list[str], problem: str, pool: Pool) -> None:
    with pytest.raises(InputError, match=problem):
        typer.main.get_command(program).main(
            ["corpus", "select", "source", "target", *options, "--pairs", "1", "--scores", "s"], standalone_mode=False
        )
