"""What holds of all commands that make files of files: how numbers are written, and that nothing which is read is written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.shell.declaration.catalogue import COMMANDS
from app.shell.declaration.tree import command_named
from tests.commands import assay


def commands() -> Iterator[tuple[str, Any]]:
    """All commands by their whole names."""
    yield from ((name, command_named(name)) for name, entry in COMMANDS.items() if entry.options)


def test_every_number_may_have_a_comma() -> None:
    # Of decode, flags of Moses are read besides.
    others = [
        (name, parameter.name)
        for name, command in commands()
        if name != "smt decode"
        for parameter in command.params
        if (kind := getattr(parameter, "type_descriptor", None)) and kind.annotation is float and kind.parameter_info.parser is None
    ]
    assert others == []


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "s").write_text("ein Haus\nzwei 12345678\n")
    (tmp_path / "t").write_text("a house\ntwo 12345678\n")
    return tmp_path


def test_shares_are_percentages_too(texts: Path) -> None:
    source, target, kept = (str(texts / name) for name in ("s", "t", "kept"))
    for share, ratio in (("0.6", "1.5"), ("0,6", "1,5"), ("60%", "1,5")):
        done = assay(
            "corpus", "filter", source, target, "--min-letters", share, "--max-ratio", ratio, "--decisions", kept, "--replace"
        )  # fmt: skip
        assert done.returncode == 0 and Path(kept).read_text() == "kept\nletters\n", done.stderr
    done = assay("corpus", "filter", source, target, "--min-letters", "160%", "--decisions", kept, "--replace")
    assert done.returncode == 2 and "1.6 is not at least 0 and at most 1" in done.stderr


def test_weights_by_name_have_commas_and_say_what_is_wanted(texts: Path) -> None:
    (texts / "corpora").write_text("news\nnews\n")
    call = ["corpus", "weight", str(texts / "s"), "--corpora", str(texts / "corpora"), "--out", str(texts / "w"), "--corpus-weight"]
    assert assay(*call, "news=0,5").returncode == 0
    assert (texts / "w").read_text().split() == ["0.5", "0.5"]
    done = assay(*call, "0.7", "--replace")
    assert done.returncode == 2 and done.stderr == "assay: --corpus-weight: this is NAME=NUMBER, as news=0.7\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["corpus", "select", "s", "t", "--method", "ibm1", "--share", "0.3", "--out-source", "s", "--out-target", "new"],
        ["resources", "align", "s", "t", "--links", "s"],
        ["resources", "align", "s", "t", "--links", "link"],
        ["resources", "align", "s", "t", "--links", "new", "--scores", "folder/../new"],
        ["corpus", "filter", "s", "t", "--out-source", "new", "--out-target", "folder/../t"],
        ["corpus", "weight", "s", "--held-out", "t", "--out", "t"],
        ["corpus", "resample", "s", "t", "--out", "."],
        ["resources", "mix-lm", "s", "t", "--weights", "0.5,0.5", "--out", "s"],
        ["smt", "convert-trees", "s", "--to", "words", "--out", "s"],
        ["smt", "prune-table", "s", "t", "t", "--out", "s"],
        ["smt", "compact-table", "s", "--out", "s"],
    ],
)
def test_what_is_read_is_not_written(texts: Path, arguments: list[str]) -> None:
    (texts / "link").symlink_to("s")
    (texts / "folder").mkdir()
    before = {path.name: path.read_bytes() for path in texts.iterdir() if path.is_file()}
    places = [str(texts / word) if (texts / word).exists() or word.startswith(("new", "folder")) else word for word in arguments]
    done = assay(*places, "--replace")
    assert done.returncode == 2
    assert "so it cannot be an output" in done.stderr or "two outputs are the same file" in done.stderr, done.stderr
    assert {path.name: path.read_bytes() for path in texts.iterdir() if path.is_file()} == before


def test_what_is_no_ordinary_file_may_be_both(texts: Path) -> None:
    done = assay(
        "corpus", "filter", str(texts / "s"), str(texts / "t"), "--out-source", "/dev/null", "--decisions", str(texts / "new")
    )
    assert "cannot be written; name another" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smt", "phrase-table", "s", "--out", "new"], "is a file; name its folder"),
        (["corpus", "select", "s", "t", "--method", "bicleaner", "--share", "30%", "--scores", "new"], ", quality\n"),
        (["resources", "align", "s", "--links", "new"], "a file of fast_align's, SOURCE ||| TARGET, is to be cut in two"),
        (["resources", "align", "s", "t", "--links", "new", "--heuristic", "intersection"], ": intersect is meant"),
        (["smt", "train", "s", "t", "--dev", "s", "longer", "--out", "new"], "longer has 3\n"),
        (["smt", "train", "s", "t", "--untuned", "--out", "tuned"], "were tuned"),
    ],
)
def test_it_is_said_what_is_wanted(texts: Path, arguments: list[str], message: str) -> None:
    (texts / "longer").write_text("a\nb\nc\n")
    (texts / "tuned" / "tuning").mkdir(parents=True)
    done = assay(*(str(texts / word) if (texts / word).exists() or word == "new" else word for word in arguments))
    assert done.returncode == 2 and message in done.stderr
    assert not (texts / "new").exists()


def test_a_packed_file_that_ends_early_is_no_prompt_that_was_left(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> None:
        raise EOFError

    monkeypatch.setattr("app.smt.commands.corpus.filtering.rules_of", end)
    done = assay("corpus", "filter", str(texts / "s"), str(texts / "t"), "--decisions", str(texts / "new"))
    assert done.returncode == 2 and done.stderr == "assay: a gzip file is truncated; copy or download it again\n"
