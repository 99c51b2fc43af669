"""Markup as it is read: Moses' examples, and what is none with its place."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.decoder.markup.marks import Hint, MarkupUse
from app.smt.decoder.markup.reading import plain_and_marks


def read(line: str) -> tuple[str, tuple[Hint, ...], tuple[tuple[int, int], ...], tuple[tuple[int, int, int], ...]]:
    text, marks = plain_and_marks(line, MarkupUse.EXCLUSIVE, "in.txt", 7)
    return text, marks.hints, marks.zones, marks.walls


def test_examples_of_moses() -> None:
    assert read('das ist <np translation="a cute place">ein kleines haus</np>') == (
        "das ist ein kleines haus", (Hint(2, 5, ("a", "cute", "place"), 0.0),), (), (),
    )  # fmt: skip
    text, hints, _, _ = read('das ist ein kleines <n translation="dwelling||house" prob="0.8||0.2">haus</n> &lt; 3 > 2')
    assert text == "das ist ein kleines haus &lt; 3 > 2"
    assert hints == (Hint(4, 5, ("dwelling",), log(0.8)), Hint(4, 5, ("house",), log(0.2)))
    assert read("he said <zone> that <wall/> he <zone>is here</zone> </zone> . <wall/> yes")[2:] == (
        ((4, 6), (2, 6)), ((2, 3, 6), (0, 7, 8)),
    )  # fmt: skip


def test_tags_part_words_and_may_be_nested() -> None:
    assert read("a<x  translation='b \" c' prob='0' >d<y english=\"e\">f</y ></x>g") == (
        "a d f g", (Hint(2, 3, ("e",), 0.0), Hint(1, 3, ("b", '"', "c"), -100.0)), (), (),
    )  # fmt: skip
    assert read("<np>a b</np>") == ("a b", (), (), ())


@pytest.mark.parametrize(
    ("line", "place", "about"),
    [
        ("a < b", 3, "&lt;"),
        ("a <n translation='x'>b", 3, "not closed"),
        ("a </n>", 3, "no opening tag before it"),
        ("<a>b <c>d</a></c>", 10, "is open since character 6"),
        ("<n translation='x'></n> a", 1, "holds no word"),
        ("<zone> </zone> a", 1, "holds no word"),
        ("a <wall> b", 3, "<wall/>"),
        ("a <n/> b", 3, "holds no word"),
        ("<n translation=x>a</n>", 4, "value in quotes"),
        ("<n translation='x>a</n>", 4, "value in quotes"),
        ("<n translaton='x'>a</n>", 4, "not translaton"),
        ("<n translation='x' translation='y'>a</n>", 20, "once"),
        ("<zone translation='x'>a</zone>", 7, "no attribute"),
        ("<n translation='x||'>a</n>", 1, "empty"),
        ("<n translation='x|||y'>a</n>", 1, r"\|\|\|"),
        ("<n translation='x||y' prob='1'>a</n>", 1, "2 translations but 1"),
        ("<n translation='x' prob='nan'>a</n>", 1, "no number"),
        ("<n translation='x' prob='-1'>a</n>", 1, "no number"),
        ("<n prob='1'>a</n>", 1, "no translation"),
        ("a <n", 3, "no > at its end"),
        ("a <n <b>", 3, "no > at its end"),
        ("</n a='b'>", 1, "no > at its end"),
    ],
)
def test_what_is_no_markup_has_a_place(line: str, place: int, about: str) -> None:
    with pytest.raises(InputError, match=rf"line 7 of in.txt, character {place}: .*{about}"):
        read(line)


def test_too_much_markup_is_refused() -> None:
    with pytest.raises(InputError, match="at most 10,000 translations"):
        read("<n translation='" + "||".join(["x"] * 10_001) + "'>a</n>")
    with pytest.raises(InputError, match="at most 1,000 zones"):
        read("".join(f"<zone>w{k} x</zone>" for k in range(1001)))


@given(st.text(alphabet="<>/ab =\"'|.w", max_size=40))
def test_any_line_is_read_or_refused(line: str) -> None:
    try:
        text, hints, zones, walls = read(line)
    except InputError:
        return
    length = len(text.split())
    assert all(0 <= hint.start < hint.end <= length for hint in hints)
    assert all(0 <= begin < end <= length for begin, end in zones)
    assert all(begin < wall < end <= length for begin, wall, end in walls)
