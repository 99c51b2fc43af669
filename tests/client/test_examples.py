"""Every example of the client against a server, as its reader would start it."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.servers import Server

FOLDER = ROOT / "examples" / "client"
SAMPLE = ROOT / "tests" / "documents" / "samples" / "matecat.xlf"
LANGUAGES = ["ro", "en"]
# What each is given, and what its answer looks like.
RUNS = {
    "quality_job": ([str(SAMPLE), "scored.xlf"], r"2 segments, mean confidence 0\.\d\d, in scored\.xlf"),
    "words_job": ([*LANGUAGES, "source.txt", "one.txt"], r"1\t?.*\n2"),
    "features_job": ([*LANGUAGES, "source.txt", "one.txt"], r"source\ttranslation"),
    "rank_job": ([*LANGUAGES, "source.txt", "one.txt", "two.txt"], r"(one|two)\t-?\d"),
    "score_job": (["one.txt", "one.txt", "two.txt"], r"one\.txt\tbleu\t100\.00"),
    "evaluate_job": ([*LANGUAGES, "few.tsv"], r"ro-en-hter-[\w-]+\t-?\d\.\d{3}"),
    "select_job": ([*LANGUAGES, "source.txt", "one.txt", "1"], r"[12]\t(Casa|Bună)"),
    "tune_job": (["dev.nbest", "one.txt", "weights.json"], r"bleu \d+\.\d\d, first hypotheses \d+\.\d\d, in weights\.json"),
    "train_job": ([*LANGUAGES, "labelled.tsv"], r"ro-en-hter-ridge-17"),
}
LISTED = [(0, "The house is today.", -1), (0, "The house is big today.", -2), (1, "Good day you.", -1), (1, "Good day to you.", -3)]


def labelled(rows: int) -> str:
    heading = "source\ttranslation\tlabel\n"
    return heading + "".join(
        f"Casa numărul {k} este mare.\tHouse number {k} is big{' indeed' * (k % 4)}.\t{k % 10 / 10}\n" for k in range(rows)
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Path:
    files = {
        "source.txt": "Casa este mare.\nBună ziua.\n", "one.txt": "The house is big today.\nGood day to you.\n", "two.txt": "House.\nGood.\n",
        "dev.nbest": "".join(f"{k} ||| {text} ||| lm= {score} ||| {score}\n" for k, text, score in LISTED),
        # A training holds a fifth out, and needs twenty rows there.
        "labelled.tsv": labelled(100), "few.tsv": labelled(20),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_SERVER", server.address)
    monkeypatch.syspath_prepend(str(FOLDER))
    return tmp_path


def start(name: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(name)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    importlib.import_module("example").run(module.main, "it", 1)


def test_there_is_an_example_for_every_run() -> None:
    assert {path.stem for path in FOLDER.glob("*_job.py")} == set(RUNS)
    assert all(f"python {name}.py" in (FOLDER / "README.md").read_text(encoding="utf-8") for name in RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_an_example_answers(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, answer = RUNS[name]
    start(name, arguments, monkeypatch)
    told = capsys.readouterr()
    assert re.search(answer, told.out), told.out
    assert "succeeded" in told.err


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [
        (False, "quality: succeeded, 4 of 4\n"),
        (True, "".join(f"\r{line:<60}" for line in ("quality: queued, 0 of 4", "quality: running, 2 of 4", "quality: succeeded, 4 of 4")) + "\n"),
    ],
)  # fmt: skip
def test_progress_is_a_line_of_a_terminal_and_its_end_a_line_of_a_log(
    terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    for state, done in (("queued", 0), ("running", 2), ("succeeded", 4)):
        importlib.import_module("example").told({"kind": "quality", "state": state, "done": done, "total": 4})
    assert capsys.readouterr().err == shown


@pytest.mark.parametrize("name", RUNS)
def test_a_missing_file_is_a_sentence(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [argument if argument in LANGUAGES or argument == "1" else "nowhere.txt" for argument in RUNS[name][0]]
    with pytest.raises(SystemExit) as ended:
        start(name, arguments, monkeypatch)
    assert ended.value.code == 2
    assert capsys.readouterr().err.strip() == "nowhere.txt cannot be read or written: No such file or directory"
