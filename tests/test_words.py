"""Prose and names by their form: how sentences begin, how long they are, and what things are called."""

from pathlib import Path

import pytest

from app.settings import ROOT
from benchmarks.house.limits import read_limits
from benchmarks.house.names import has_no_noun
from benchmarks.house.prose import Offence, offences
from benchmarks.house.rooms import nodes_of


@pytest.fixture(scope="module")
def rooms() -> dict[str, list[Offence]]:
    by_room: dict[str, list[Offence]] = {}
    for offence in offences(ROOT):
        by_room.setdefault(offence.room, []).append(offence)
    return by_room


def test_rooms_have_no_more_offences_than_their_limits(rooms: dict[str, list[Offence]]) -> None:
    limits = read_limits(ROOT)
    over = {room: found for room, found in rooms.items() if len(found) > limits.get(room, 0)}
    assert not over, "\n".join(
        f"{room}: {len(found)} offences, at most {limits.get(room, 0)}; python -m benchmarks.house --prose {room}\n"
        + "\n".join(map(str, found[:20]))
        for room, found in over.items()
    )


def kinds_in(tmp_path: Path, code: str) -> list[str]:
    (tmp_path / "app" / "engine").mkdir(parents=True, exist_ok=True)
    (tmp_path / "app" / "engine" / "answers.py").write_text(code, "utf-8")
    nodes_of.cache_clear()
    return [offence.kind for offence in offences(tmp_path)]


LONG = " ".join(["word"] * 31)


@pytest.mark.parametrize(
    ("docstring", "kinds"),
    [
        ("Kinds of side information given for all segments.", []),
        ("At most this many files, the newest first.", []),
        ("For each segment, the mean of its log-probabilities; shape (n,).", []),
        ("All segments whose score is below the limit.", []),
        ("Scores that a model gives to segments which a reader marked.", []),
        ("Return the file. What is missing is downloaded?", []),
        ("What came beside the two texts.", ["opening"]),
        ("Whether a text is empty.", ["opening"]),
        ("The same of a trained metric.", ["opening"]),
        ("Those of the encoder.", ["opening"]),
        ("Of the chunk's places.", ["opening"]),
        ("By the lexical tables of a folder.", ["opening"]),
        ("All of it; a scale only where one was declared.", ["opening"]),
        ("Rows of a file. Who reads them sees no blanks.", ["opening"]),
        (f"A {LONG}.", ["long"]),
        (f"A [{LONG}](page.md) with `{LONG}`.", []),
        ("A file. See e.g. Smith et al. 2015 for it. Word " + " ".join(["word"] * 25) + ".", []),
        ("A file that holds rows which a job wrote where it stood.", ["relatives"]),
    ],
)
def test_docstrings(tmp_path: Path, docstring: str, kinds: list[str]) -> None:
    assert kinds_in(tmp_path, f'"""{docstring}"""\n') == kinds


def test_comments_and_helps_are_measured(tmp_path: Path) -> None:
    assert kinds_in(tmp_path, '# Who asks too often waits.\nlimit = "# What"\n') == ["opening"]
    assert kinds_in(tmp_path, 'option(help="Of such a label: its range.")\n') == ["opening"]


def test_code_in_docstrings_is_not_measured(tmp_path: Path) -> None:
    assert not kinds_in(tmp_path, f'"""A page.\n\n```\n{LONG}\n```\n"""\n')


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("ours", True), ("told", True), ("wanted", True), ("_held_out_of", True), ("of_each", True), ("Remembered", True), ("there", True),
        ("foreseen", True), ("MOST_NAMED", True), ("rows", False), ("kept_rows", False), ("expected", False), ("seed", False),
        ("before", False), ("is_empty", False), ("created", False),
    ],
)  # fmt: skip
def test_names(name: str, fails: bool) -> None:
    assert has_no_noun(name) == fails


def test_flags_functions_and_directions_are_fair(tmp_path: Path) -> None:
    fair = "enabled: bool = True\nfenced = False\ndef joined(lines): ...\ndef span(left, right): ...\nclass Answer:\n    used_by: list[str]\n"
    assert not kinds_in(tmp_path, fair)
    assert kinds_in(tmp_path, "def joined(): ...\ndef span(left): ...\nfor told in (): ...\n") == ["name"] * 3
