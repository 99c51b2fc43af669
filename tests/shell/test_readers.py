"""Commands whose output nobody reads to its end, by real pipes."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from app.settings import ROOT
from app.shell import program

ASSAY: Final = (sys.executable, "-m", "app")
GONE: Final = 141


def _unread(*arguments: str, stderr: bool = False) -> tuple[int, bytes]:
    """The status of a command that prints into a pipe that nobody reads, and what it said beside it; `stderr` goes the same way."""
    beside = subprocess.STDOUT if stderr else subprocess.PIPE
    with subprocess.Popen([*ASSAY, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=beside) as process:
        assert process.stdout is not None
        process.stdout.close()
        told = process.stderr.read() if process.stderr is not None else b""
        return process.wait(300), told


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("readers") / "table.tsv"
    rows = "".join(f"Casa numărul {k} este mare.\tHouse number {k} is big.\n" for k in range(60))
    path.write_text(f"source\ttranslation\n{rows}", "utf-8")
    return str(path)


@pytest.mark.parametrize("command", ["--help", "--version", "score --help", "features --sets", "features --sets -f json"])
def test_what_nobody_reads_ends_quietly(command: str) -> None:
    arguments = command.replace("-f json", "--format json").split()
    assert _unread(*arguments) == (GONE, b"")
    assert _unread(*arguments, stderr=True)[0] == GONE


@pytest.mark.parametrize("form", ["text", "json", "tsv", "markdown"])
def test_scores_that_nobody_reads_are_no_gate_that_failed(form: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a b c d\n")
    arguments = ["score", str(tmp_path / "a"), "-i", str(tmp_path / "a"), "-m", "bleu"]
    assert _unread(*arguments, "--format", form)[0] == GONE
    assert _unread(*arguments, "--format", form, stderr=True)[0] == GONE


def test_the_first_lines_of_an_answer_are_enough(table: str) -> None:
    assay = f"{sys.executable} -m app quality {table} --pair ro-en --words --warnings --explain 2>&1"
    done = subprocess.run(
        ["bash", "-c", f"{assay} | head -n 2 > /dev/null; echo ${{PIPESTATUS[0]}}"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )  # fmt: skip
    assert done.stdout.strip() == str(GONE) and done.stderr == ""


def test_an_error_that_nobody_reads_ends_quietly() -> None:
    assert _unread("models", "nobody", stderr=True)[0] == GONE


def test_another_pipe_that_breaks_is_no_reader(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(program, "program", broken)
    with pytest.raises(SystemExit) as ended:
        program.run()
    assert ended.value.code == 2 and capfd.readouterr().err == "assay: Broken pipe\n"


@pytest.mark.parametrize(
    ("closed", "score", "status"), [(">&-", "0", 0), (">&-", "101", 1), ("2>&-", "101", 1), ("<&- >&- 2>&-", "0", 0)]
)
def test_streams_that_are_closed_lead_nowhere(closed: str, score: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a b c d\n")
    gate = f"{sys.executable} -m app score {tmp_path / 'a'} -i {tmp_path / 'a'} -m bleu --fail-below bleu={score} {closed}"
    done = subprocess.run(["bash", "-c", gate], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == status and "Traceback" not in done.stderr
