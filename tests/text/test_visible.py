"""Control characters and commands of CI services in lines of text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.writing.visible import visible


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb\r\tc\x85\u2028\u202e", r"a\nb\r\tc\x85\u2028\u202e"),
        ("\ud800", r"\ud800"),
        ("::set-output name=a::b", r"\x3a:set-output name=a::b"),
        ("\u3000 ::error::x", "\u3000 \\x3a:error::x"),
        ("x ##[add-mask]y ##vso[task]", r"x \x23#[add-mask]y \x23#vso[task]"),
        ("std::vector, ## Heading, Löschen 中文 \u200f", "std::vector, ## Heading, Löschen 中文 \u200f"),
    ],
)
def test_controls_are_escapes_and_commands_are_none(text: str, line: str) -> None:
    assert visible(text) == line


@given(st.text())
def test_every_line_is_one_line_without_controls(text: str) -> None:
    line = visible(text)
    assert len(line.splitlines()) <= 1 and not any(unicodedata.category(character) in ("Cc", "Cs") for character in line)
    assert not line.strip().startswith("::") and visible(line) == line
