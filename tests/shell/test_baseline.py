"""Baselines of reviews: what they leave out, and what they never hide."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.shell.review.baseline import read_baseline, unknown_findings, write_baseline
from tests.shell.test_review import ENGLISH, GERMAN, Assay, assay, checkout, write

__all__ = ["assay", "checkout"]

RUN = ["review", "--no-predict", "--baseline", "known.json"]
ROW = {"path": "de.json", "line": 1, "column": 1, "key": "a", "code": "numbers", "severity": "warning", "message": "m"}
TEXTS = {"source": "1", "translation": "2"}


def test_a_known_broken_file_is_new_when_it_breaks_elsewhere(checkout: Path, assay: Assay) -> None:
    french = checkout / "locales" / "fr.json"
    write(checkout, en=ENGLISH, de=GERMAN)
    french.write_text('{"hi": "Bonjour",}')
    assert assay([*RUN, "--update-baseline"])[0] == 0
    assert assay(RUN)[0] == 0
    for text in ('{"hi" "Bonjour"}', '{"hi": "Bonjour, {nom}!",\n\n}'):
        french.write_text(text)
        assert assay(RUN)[0] == 1, text


def test_known_broken_files_alone_are_no_pass(checkout: Path, assay: Assay) -> None:
    (checkout / "locales" / "de.json").write_text("{")
    assert assay([*RUN, "--update-baseline"])[0] == 0
    assert assay(RUN)[0] == 3


@pytest.mark.parametrize(
    ("known", "now", "is_new"), [("warning", "error", True), ("error", "warning", False), ("info", "info", False)]
)
def test_a_graver_severity_is_new(tmp_path: Path, known: str, now: str, is_new: bool) -> None:
    file = tmp_path / "known.json"
    assert write_baseline(file, [{**ROW, **TEXTS, "severity": known}]) == 1
    assert bool(unknown_findings([{**ROW, **TEXTS, "severity": now}], read_baseline(file))) is is_new


def test_a_file_without_severities_knows_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    write_baseline(file, [{**ROW, **TEXTS}])
    rows: Any = json.loads(file.read_text())
    del rows["findings"][0]["severity"]
    file.write_text(json.dumps(rows))
    assert unknown_findings([{**ROW, **TEXTS, "severity": "error"}], read_baseline(file)) == []


@pytest.mark.parametrize(
    "row",
    [
        3,
        {"path": 1},
        {"path": "a", "key": "", "code": "", "texts": "", "severity": "grave"},
        {"path": "a", "key": "", "code": "", "texts": "", "severity": []},
    ],
)
def test_other_rows_are_refused(tmp_path: Path, row: Any) -> None:
    file = tmp_path / "known.json"
    file.write_text(json.dumps({"findings": [row]}))
    with pytest.raises(InputError, match="--update-baseline"):
        read_baseline(file)
