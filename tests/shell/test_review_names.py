"""`assay review --since` with names of files that are not UTF-8."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.shell.test_review import ENGLISH, GERMAN, Assay, assay, checkout, codes, git, write

__all__ = ["assay", "checkout"]

RUN = ["review", "--since", "main", "--no-predict", "--format", "json"]
BROKEN = {**GERMAN, "hi": "Hallo, {nom}!"}


def raw_file(folder: Path, path: bytes, text: str) -> None:
    """Write a file whose name is bytes."""
    file = os.path.join(os.fsencode(folder), path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w", encoding="utf-8") as handle:
        handle.write(text)


@pytest.mark.parametrize("name", [b"a\xe9.txt", b"locales/a\xff.json", b"z\xe9.json"])
@pytest.mark.parametrize("is_committed", [False, True])
def test_foreign_names_shift_no_other_file(checkout: Path, assay: Assay, name: bytes, is_committed: bool) -> None:
    raw_file(checkout, name, "{}")
    write(checkout, en=ENGLISH, de=BROKEN)
    if is_committed:
        git(checkout, "add", "-A")
        git(checkout, "commit", "-qm", "two")
    code, out, _ = assay(RUN)
    assert (code, json.loads(out)["strings"], codes(out)) == (1, 1, {"hi": "placeholders"})


def test_a_rename_from_a_foreign_name_compares_strings(checkout: Path, assay: Assay) -> None:
    raw_file(checkout, b"old/d\xe9/en.json", json.dumps(ENGLISH))
    raw_file(checkout, b"old/d\xe9/de.json", json.dumps(GERMAN))
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "two")
    subprocess.run(["git", "-C", checkout, "mv", b"old/d\xe9", "old/new"], check=True)
    code, out, _ = assay(["review", "--since", "HEAD", "--no-predict", "--format", "json"])
    assert (code, json.loads(out)["strings"]) == (3, 0)


@pytest.mark.parametrize("since", [["--since", "main"], []])
def test_a_translation_with_a_foreign_name_is_a_finding(checkout: Path, assay: Assay, since: list[str]) -> None:
    raw_file(checkout, b"texts/en/a\xe9.json", json.dumps(ENGLISH))
    raw_file(checkout, b"texts/de/a\xe9.json", json.dumps(BROKEN))
    code, out, _ = assay(["review", *since, "--no-predict", "--format", "json"])
    rows = {row["path"]: row for row in json.loads(out)["findings"]}
    assert code == 1 and rows.keys() == {"texts/de/a\\xe9.json", "texts/en/a\\xe9.json"}
    assert all(row["code"] == "unreadable" and "not UTF-8" in row["message"] for row in rows.values())
