"""Files in and out: the chosen lines as they were, in their order, or nothing at all."""

import gzip
from pathlib import Path

import pytest
import typer

from app.errors import InputError
from app.shell.program import program

SOURCE = ["Das Haus", " ein  Buch ", "", "ja", "drei kurze Wörter", "nein"]
TARGET = ["The house", "a book", "empty", "yes", "three short words", "no"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("source").write_text("".join(f"{line}\n" for line in SOURCE), "utf-8")
    Path("target.gz").write_bytes(gzip.compress("\n".join(TARGET).encode()))
    Path("links").write_text("0-0 1-1\n0-0\n\n0-0\n2-2\n0-0\n")
    Path("given").write_text("1\n3\n9\n2\n2.5\n-1\n")
    return tmp_path


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main(["corpus", "select", "source", "target.gz", *arguments], standalone_mode=False)


def test_the_best_are_written_as_they_are_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assay(
        *("--method", "given", "--given", "given", "--pairs", "3", "--links", "links"),
        *("--out-source", "s.gz", "--out-target", "t", "--out-links", "l", "--scores", "scores"),
    )
    assert gzip.decompress(Path("s.gz").read_bytes()).decode() == " ein  Buch \nja\ndrei kurze Wörter\n"
    assert Path("t").read_text() == "a book\nyes\nthree short words\n"
    assert Path("l").read_text() == "0-0\n0-0\n2-2\n"
    assert Path("scores").read_text() == "1\n3\n-inf\n2\n2.5\n-1\n"
    told = capsys.readouterr().err
    assert "chose 3 of 6 pairs, 6 words" in told and "1 pair could not be chosen" in told
    with pytest.raises(InputError, match=r"s\.gz exists already"):
        assay("--method", "random", "--pairs", "3", "--out-source", "s.gz")
    assay("--method", "random", "--words", "100", "--out-target", "t", "--replace")
    assert "the pool ended below the budget of 100 words" in capsys.readouterr().err
    assert len(Path("t").read_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--pairs", "1"], "name an output"),
        (["--out-source", "s"], "set a budget"),
        (["--out-source", "s", "--out-target", "s", "--pairs", "1"], "two outputs are the same file"),
        (["--out-links", "l", "--pairs", "1"], "--out-links"),
        (["--out-source", "s", "--pairs", "1", "--strict"], "--strict"),
        (["--out-source", "s", "--share", "0"], "a budget is"),
        (["--out-source", "none/s", "--pairs", "1"], "--out-source: none is not a folder"),
        (["--out-source", "s", "--pairs", "1", "--links", "short"], "short has 1 lines but source has 6"),
        (["--out-source", "s", "--method", "given", "--pairs", "1", "--given", "long"], "long has more than 6 lines"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(arguments: list[str], problem: str, folder: Path) -> None:
    Path("short").write_text("0-0\n")
    Path("long").write_text("1\n" * 7)
    before = set(folder.iterdir())
    with pytest.raises(InputError, match=problem):
        assay(*(arguments if "--method" in arguments else [*arguments, "--method", "random"]))
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("links", b"0-0\n0-0\n\n5-0\n2-2\n0-0\n", "line 4 of links has a link beyond the words"),
        ("links", b"0-0\n0-0\n\n0-0\nx\n0-0\n", "links.5: links are pairs"),
        ("source", b"a\nb\nc\n\xff\ne\nf\n", "line 4, is not UTF-8"),
        ("source", b"a\nb\n", "source has 2 lines but .* has 6"),
        ("source", b"", "source has 0 lines but .* has 6"),
    ],
)
def test_faults_name_file_and_line(name: str, text: bytes, problem: str) -> None:
    Path(name).write_bytes(text)
    with pytest.raises(InputError, match=problem):
        assay("--method", "random", "--pairs", "2", "--links", "links", "--out-source", "s")
    assert not Path("s").exists()


def test_lines_of_too_many_words_are_not_chosen() -> None:
    Path("source").write_text("".join(f"{line or 'x ' * 1001}\n" for line in SOURCE), "utf-8")
    assay("--method", "random", "--pairs", "6", "--out-target", "t")
    assert Path("t").read_text().splitlines() == [line for line in TARGET if line != "empty"]
