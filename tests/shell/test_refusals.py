"""What a command refuses is one line on stderr and exit code 2, before any work whose end could not be kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.shell import program
from app.shell.here import engine_here, settings_here
from app.shell.program import run
from tests.commands import assay_process
from tests.shell.test_commands import PAIRS

LABELLED = "source\ttranslation\tlabel\nunu\tone\t0.5\ndoi\ttwo\t0.4\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Small files in the folder where commands run; no command gets as far as computing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "labelled.tsv").write_text(LABELLED)
    (tmp_path / "lines").write_text("a\nb\n")
    yield tmp_path
    settings_here.cache_clear()


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a command says."""
    monkeypatch.setattr("sys.argv", ["assay", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


NOBODY = ["--server", "http://127.0.0.1:1"]
TRAIN = ["train", "labelled.tsv", "--pair", "ro-en", "--label", "hter"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["annotate", "pairs.tsv", "-o", "nope/x.tsv"], "--output: nope is not a folder"),
        (["annotate", "pairs.tsv", "-o", "."], "--output: . is a folder"),
        # Nothing was asked of the server, which is not there.
        (["annotate", "pairs.tsv", "-o", "lines/x.tsv", *NOBODY], "--output: lines is not a folder"),
        ([*TRAIN, "--out", "lines/m"], "lines is not a folder"),
        (["models", "select-features", *TRAIN[1:], "--plot", "nope/x.svg"], "--plot: nope is not a folder"),
        (["resources", "lm", "lines", "--language", "ro", "--out", "lines/ro"], "lines is not a folder"),
        (["resources", "align", "lines", "lines", "--pair", "ro-en", "--out", "lines/ro-en"], "lines is not a folder"),
        (
            ["score", "lines", "-i", "lines", "--fail-if-worse"],
            "--fail-if-worse: this compares systems with a baseline; give two or more",
        ),
        (["jobs", "submit", "nix.json"], "nix.json cannot be read: No such file or directory"),
        (["jobs", "submit", "lines"], "lines cannot be read as JSON"),
        (["train", "labelled.tsv", "--pair", "ro-en", "--feedback", "--base", "M"], "a predictor needs --label"),
        (["train"], "a predictor needs a table (or --feedback) and --pair and --label"),
        ([*TRAIN, "--learner", "gp|kernel:foo"], "learner: option kernel of gp accepts: "),
        (
            ["quality", "pairs.tsv", "--pair", "ro-en", "--bands", "rest=0:1,good=0.8:0.3"],
            "--bands: bands are given from the best to the worst, the last with FROM 0; they are NAME=FROM:RATE with commas",
        ),
        (
            ["quality", "pairs.tsv", "--pair", "ro-en", "--bands", "good=1.5:1,r=0:1"],
            "--bands: FROM of good: Input should be less than or equal to 1; bands are NAME=FROM:RATE",
        ),
        (["quality", "pairs.tsv", "--pair", "ro-en", "--bands", "good=0.5:99,r=0:1"], "--bands: RATE of good: Input should be"),
        (["quality", "pairs.tsv", "--pair", "ro-en", "--bands", "=0.5:1,r=0:1"], "--bands: NAME of a band: "),
        (
            ["score", "lines", "-i", "lines", "--baseline", "nix.json", "--fail-if-worse"],
            "--baseline: there is no file nix.json of stored scores, and no system of that name",
        ),
    ],
)
def test_the_line_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    line = refused(monkeypatch, capsys, *arguments)
    assert line.startswith("assay: ") and message in line


def test_what_the_system_refuses_names_its_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> None:
        Path("nope/x").write_text("")

    monkeypatch.setattr(program, "program", write)
    assert refused(monkeypatch, capsys) == "assay: nope/x: No such file or directory"


@pytest.mark.parametrize(
    ("variable", "value", "accepted"),
    [
        ("ASSAY_WORKERS", "x", "valid integer"),
        ("ASSAY_WORKERS", "99", "less than or equal to 64"),
        ("ASSAY_TAGGING_PROCESS", "?", "valid boolean"),
    ],
)
def test_a_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str, accepted: str
) -> None:
    monkeypatch.setenv(variable, value)
    settings_here.cache_clear()
    engine_here.cache_clear()
    for command in (["models", "list"], ["serve"]):
        line = refused(monkeypatch, capsys, *command)
        assert line.startswith(f"assay: {variable}: ") and accepted in line


def test_a_worker_names_its_setting_too(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    from app.server.jobs.worker_process import main

    monkeypatch.setenv("ASSAY_WORKERS", "x")
    monkeypatch.setattr("sys.argv", ["worker"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    (record,) = caplog.records
    assert record.getMessage().startswith("ASSAY_WORKERS: ") and record.exc_info is None


def test_a_server_needs_a_folder(folder: Path) -> None:
    done = assay_process("serve", "--port", "0", data=folder / "lines" / "data")
    assert done.returncode == 2
    assert done.stderr == f"assay: ASSAY_DATA_DIR: {folder / 'lines'} is not a folder\n"
