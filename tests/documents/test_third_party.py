"""Files of other projects, which are not kept here: read, marked, read again, and byte for byte theirs without our marks.

``third_party.json`` names them by project, licence, address, commit and SHA-256; the folder ``ASSAY_THIRD_PARTY`` has them under
``OWNER/NAME/PATH``. Segments are counted by other readers: polib, lxml and csv.
"""

import csv
import hashlib
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import polib
import pytest
from lxml import etree

from app.documents import QualityMark, read_file
from tests.documents.test_documents import text_of

TABLE: list[dict[str, Any]] = json.loads((Path(__file__).parent / "third_party.json").read_text(encoding="utf-8"))
FOLDER = os.environ.get("ASSAY_THIRD_PARTY", "")
MARK = QualityMark(0.83, 0.17, 0.05, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))
CELLS = ["0.8300", "0.1700", "0.0500", "0.9000", "top", "numbers"]
COLUMNS = ["assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings"]
# What each format gets from us, as a pattern of what is to be taken away again, and what stays of it.
OURS = {
    "po": [(r"#\. assay: [^\n]*\n", "")],
    "tmx": [(r'\s*<prop type="x-assay(?:-quality)?">[^<]*</prop>', "")],
    "xliff-1.2": [(r'\s*<note from="assay"[^>]*>[^<]*</note>', ""), (r' (?:xmlns:)?its:?\w*="[^"]*"', "")],
    "xliff-2": [
        (r"\s*<mtc:matches xmlns:mtc.*?</mtc:matches>", ""), (r'\s*<mtc:match [^>]*id="assay-.*?</mtc:match>', ""),
        (r'\s*<notes><note id="assay-.*?</notes>', ""), (r'\s*<note id="assay-[^>]*>[^<]*</note>', ""),
        (r'<mrk id="assay-[^>]*>(.*?)</mrk></target>', r"\1</target>"), (r' (?:xmlns:)?its:?\w*="[^"]*"', ""),
    ],
    "csv": [("(?P<cut>[,;])" + "(?P=cut)".join(cells), "") for cells in (CELLS, COLUMNS)],
    "tsv": [("\t" + "\t".join(cells), "") for cells in (CELLS, COLUMNS)],
    "n-best": [(r" Assay= 0\.8300", "")],
}  # fmt: skip


def counted(raw: bytes, entry: dict[str, Any]) -> int:
    """The segments that have both texts, by another reader."""
    if entry["format"] == "po":
        return sum(
            sum(bool(text.strip()) for text in (each.msgstr_plural.values() if each.msgid_plural else [each.msgstr]))
            for each in polib.pofile(raw.decode(entry["encoding"]))
            if not each.obsolete and each.msgid.strip()
        )
    if entry["format"] in ("csv", "tsv"):
        rows = list(
            csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter="\t" if entry["format"] == "tsv" else ",")
        )
        return sum(bool(row) for row in rows) - entry["headings"]
    if entry["format"] == "n-best":
        return raw.count(b"\n")
    root = etree.fromstring(raw, etree.XMLParser(load_dtd=False, resolve_entities=False, no_network=True))
    return {"tmx": units_of_tmx, "xliff-1.2": units_of_xliff, "xliff-2": units_of_xliff_2}[entry["format"]](root, *entry["pair"])


def text(element: Any) -> bool:
    return element is not None and bool("".join(element.itertext()).strip())


def units_of_tmx(root: Any, source: str, target: str) -> int:
    def has(unit: Any, language: str) -> bool:
        tags = [(each.get("{http://www.w3.org/XML/1998/namespace}lang") or each.get("lang"), each) for each in unit.iter("tuv")]
        return any(tag.lower().startswith(language) and text(each.find("seg")) for tag, each in tags)

    return sum(has(unit, source) and has(unit, target) for unit in root.iter("tu"))


def units_of_xliff(root: Any, source: str, target: str) -> int:
    count = 0
    for unit in root.iter("{*}trans-unit"):
        segments = [each for each in unit.findall("{*}target//{*}mrk") if each.get("mtype") == "seg"]
        if unit.get("translate") != "no":
            count += sum(map(text, segments)) if segments else text(unit.find("{*}source")) and text(unit.find("{*}target"))
    return count


def units_of_xliff_2(root: Any, source: str, target: str) -> int:
    return sum(text(each.find("{*}source")) and text(each.find("{*}target")) for each in root.iter("{*}segment"))


def without_marks(raw: bytes, form: str) -> bytes:
    """A file without what we have written into it, by nothing but its characters."""
    codec = "utf-16" if raw[:2] == b"\xff\xfe" else "iso-8859-1"
    characters = text_of(raw)
    for pattern, kept in OURS[form]:
        characters = re.sub(pattern, kept, characters, flags=re.DOTALL)
    return characters.encode(codec)


def test_the_table_names_projects_licences_and_sums() -> None:
    fields = {"project", "licence", "repository", "commit", "path", "sha256", "format", "segments"}
    assert all(fields <= entry.keys() and len(entry["sha256"]) == 64 and len(entry["commit"]) == 40 for entry in TABLE)
    assert len({entry["project"] for entry in TABLE}) >= 6 and {entry["format"] for entry in TABLE} == set(OURS)
    documented = (Path(__file__).parents[2] / "docs" / "research" / "files.md").read_text(encoding="utf-8")
    assert all(f"| {entry['project']} | {entry['licence']} |" in documented for entry in TABLE)


@pytest.mark.skipif(not FOLDER, reason="ASSAY_THIRD_PARTY names no folder with files of other projects")
@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["path"].rpartition("/")[2])
def test_files_of_other_projects_are_read_and_come_back(entry: dict[str, Any]) -> None:
    raw = (Path(FOLDER) / entry["repository"] / entry["path"]).read_bytes()
    assert hashlib.sha256(raw).hexdigest() == entry["sha256"]
    sources = ["a"] * 100 if entry["format"] == "n-best" else None
    document = read_file(raw, "file", None, sources)
    assert (document.format, len(document.units)) == (entry["format"], entry["segments"])
    assert counted(raw, entry) == entry["segments"]
    once = document.marked([MARK] * len(document.units))
    again = read_file(once, "file", None, sources)
    assert [(unit.source, unit.translation) for unit in again.units] == [(unit.source, unit.translation) for unit in document.units]
    assert again.marked([MARK] * len(again.units)) == once
    assert once != raw and without_marks(once, entry["format"]) == raw
