"""Texts of users in the output of commands: no control characters, and no commands of CI services."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from app.shell.comparison.tables import Example, print_comparison
from app.shell.output import Format, print_rows
from app.shell.review.for_people import text_review
from app.shell.review.for_programs import github_review, junit_review
from tests.operations.test_review_comment import answer

HOSTILE = "::set-output name=x::y\n::error::\x1b[2Jz\r##[add-mask]a\x00\x9b\ud800"
COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\ud800]")


def review() -> dict[str, Any]:
    return {**answer(HOSTILE, HOSTILE, HOSTILE), "files": []}


def junit(answer: dict[str, Any]) -> str:
    return junit_review(answer, lambda row: True)


@pytest.mark.parametrize("form", [text_review, junit])
def test_reviews_hold_no_control_characters(form: Callable[[Any], str]) -> None:
    out = form(review())
    assert not CONTROL.search(out) and not COMMAND.search(out) and r"\x1b[2J" in out
    if form is junit:
        ElementTree.fromstring(out)


def test_annotations_are_the_only_commands() -> None:
    [line] = github_review(review()).splitlines()
    assert line.startswith("::error file=") and not CONTROL.search(line)


@pytest.mark.parametrize("form", [Format.TEXT, Format.MARKDOWN])
def test_tables_hold_no_control_characters(form: Format, capsys: pytest.CaptureFixture[str]) -> None:
    """`assay choose` prints such rows."""
    print_rows([{"translation": HOSTILE, HOSTILE: [HOSTILE]}], form)
    out = capsys.readouterr().out
    assert not CONTROL.search(out) and not COMMAND.search(out) and "1b[2J" in out


@pytest.mark.parametrize("form", [Format.TEXT, Format.MARKDOWN])
def test_comparisons_hold_no_control_characters(
    form: Format, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Example(1, 0.5, (0.0, 0.5), ["source"], [HOSTILE], (HOSTILE, HOSTILE))
    monkeypatch.setattr("app.shell.comparison.tables.examples_of", lambda *_: [example])
    gains = {"metric": "bleu", "wins": 1, "losses": 0, "ties": 0}
    verdicts = [{"sentence": HOSTILE}]
    print_comparison({"warnings": [], "segments": [gains], "verdicts": verdicts}, HOSTILE, HOSTILE, form)
    out = capsys.readouterr().out
    assert not CONTROL.search(out) and not COMMAND.search(out) and "1b[2J" in out
