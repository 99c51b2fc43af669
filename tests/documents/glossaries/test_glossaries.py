"""Glossaries in CSV, TSV, TBX and XLSX: one glossary in each form, and refusals with their places."""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.glossaries import TERM_LENGTH, TERM_LIMIT, Glossary, Term, read_glossary
from app.errors import InputError

HEADING = ("source", "target", "forbidden", "case", "note")
ROWS = (("bank account", "Bankkonto|Konto", "Girokonto", "", "of customers"), ("Elbe", "Elbe", "", "exact", ""))
TERMS = (Term("bank account", ("Bankkonto", "Konto"), ("Girokonto",), False, "of customers"), Term("Elbe", ("Elbe",), (), True))
# The layout of concepts is that of ISO 30042's dialect TBX-Basic: version 2, and both styles of version 3.
VERSION_2 = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXBasiccoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><martifHeader/><text><body>
<termEntry id="c1"><descrip type="subjectField">Stars</descrip>
<langSet xml:lang="en"><tig><term>open cluster</term></tig><tig><term>galactic cluster</term></tig></langSet>
<langSet xml:lang="es-ES">
<ntig><termGrp><term>cúmulo viejo</term><termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></termGrp></ntig>
<ntig><termGrp><term>cúmulo</term><termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termGrp></ntig>
<tig><term>cúmulo <hi>abierto</hi></term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
</langSet><langSet xml:lang="fr"><tig><term>amas ouvert</term></tig></langSet></termEntry></body></text></martif>"""
VERSION_3 = """<tbx type="TBX-Basic" style="{style}" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://www.tbxinfo.net/ns/min">
<tbxHeader/><text><body><conceptEntry id="c1"><langSec xml:lang="en"><termSec><term>open cluster</term></termSec>
<termSec><term>galactic cluster</term></termSec></langSec>
<langSec xml:lang="es-ES"><termSec><term>cúmulo viejo</term>{superseded}</termSec><termSec><term>cúmulo</term></termSec>
<termSec><term>cúmulo abierto</term>{preferred}</termSec></langSec>
<langSec xml:lang="fr"><termSec><term>amas ouvert</term></termSec></langSec></conceptEntry></body></text></tbx>"""
STATUS = {
    "dca": '<termNote type="administrativeStatus">{}Term-admn-sts</termNote>',
    "dct": "<min:administrativeStatus>{}Term-admn-sts</min:administrativeStatus>",
}
STARS = tuple(
    term
    for source in ("open cluster", "galactic cluster")
    for term in (
        Term(source, ("cúmulo abierto", "cúmulo"), ("cúmulo viejo",), language="es-ES"),
        Term(source, ("amas ouvert",), language="fr"),
    )
)


def csv_of(rows: Sequence[Sequence[str]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode()


def xlsx_of(rows: Sequence[Sequence[object]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    workbook, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        workbook.active.append(list(row))
    workbook.save(file)
    return file.getvalue()


def read(raw: bytes, name: str, language: str = "en") -> Glossary:
    return read_glossary(raw, name, language)


def refusal(raw: bytes, name: str) -> InputError:
    with pytest.raises(InputError) as refused:
        read(raw, name)
    return refused.value


def test_each_table_is_the_same_glossary() -> None:
    table = (HEADING, *ROWS)
    tsv = "".join("\t".join(row) + "\r\n" for row in table).encode()
    raws: Mapping[str, bytes] = {
        "a.csv": csv_of(table),
        "b.CSV": csv_of(table, ";"),
        "c.tsv": b"\xef\xbb\xbf" + tsv,
        "d.xlsx": xlsx_of(table),
    }
    for name, raw in raws.items():
        assert read(raw, name).terms == TERMS, name


def test_columns_may_have_any_order_and_numbers_are_texts() -> None:
    rows = [("Note", "Target", "Source", "Language"), (None, 2024, "year", "de"), ("", 1.5, "one and a half", "fr")]
    terms = read(xlsx_of(rows), "x.xlsx").terms
    assert [(term.targets, term.language) for term in terms] == [(("2024",), "de"), (("1.5",), "fr")]
    assert [term.source for term in Glossary(terms).into("de-AT").terms] == ["year"]


def test_each_version_of_tbx_is_the_same_glossary() -> None:
    texts = [VERSION_2]
    for style, note in STATUS.items():
        texts.append(VERSION_3.format(style=style, superseded=note.format("superseded"), preferred=note.format("preferred")))
    for text in texts:
        glossary = read(text.encode(), "stars.tbx")
        assert sorted(glossary.terms, key=str) == sorted(STARS, key=str)
    # A glossary works in each direction.
    backwards = read(VERSION_2.encode(), "stars.tbx", "fr").into("en")
    assert backwards.terms == (Term("amas ouvert", ("open cluster", "galactic cluster"), language="en"),)


@pytest.mark.parametrize(
    ("name", "raw", "line", "words"),
    [
        ("x.csv", b"", None, "empty"),
        ("x.csv", b"source,target\n", None, "no terms"),
        ("x.csv", b"source,ziel\nhouse,Haus\n", 1, "no column target"),
        ("x.csv", b"source,target,colour\n", 1, "column 3"),
        ("x.csv", b"source,target,source\n", 1, "two columns"),
        ("x.csv", b"source,target\nhouse,Haus\nbig, house,Haus\n", 3, "more cells"),
        ("x.csv", b"source,target\nhouse,\n", 2, "no translation"),
        ("x.csv", b"source,target\n ,Haus\n", 2, "no letter"),
        ("x.csv", b"source,target,case\nhouse,Haus,upper\n", 2, "exact or any"),
        ("x.csv", b"source,target,language\nhouse,Haus,??\n", 2, "tag"),
        ("x.csv", b'source,target\nhouse,"Haus\n', 2, "does not end"),
        ("x.tsv", b"source\ttarget\n" + b"a" * (TERM_LENGTH + 1) + b"\tb\n", 2, "201 characters"),
        ("x.tsv", b"source\ttarget\na\t" + b"b|c".join(str(n).encode() for n in range(30)) + b"\n", 2, "more than 20"),
        ("x.tbx", b"<martif>", 1, "well-formed"),
        ("x.tbx", b"<html/>", 1, "martif"),
        ("x.tbx", b"<martif/>", None, "no terms"),
        ("x.tbx", VERSION_2.replace('"en"', '"it"').encode(), None, "it, es-ES, fr"),
        ("x.tbx", VERSION_2.replace("<term>amas ouvert", "<term>§").encode(), 4, "no letter"),
        ("x.xlsx", b"source,target\n", None, "no XLSX"),
        ("x.docx", b"", None, ".csv, .tsv, .xlsx, .tbx"),
    ],
)
def test_faults_have_their_place(name: str, raw: bytes, line: int | None, words: str) -> None:
    error = refusal(raw, name)
    assert error.code in {"invalid-glossary", "invalid-document"}
    assert words in error.detail
    assert error.where[:2] == ((name,) if line is None else (name, line))


def test_a_glossary_has_a_limit() -> None:
    rows = [HEADING[:2], *((f"word{n}", "Wort") for n in range(TERM_LIMIT))]
    assert len(read(csv_of(rows), "x.csv").terms) == TERM_LIMIT
    assert "10,000" in refusal(csv_of([*rows, ("one", "more")]), "x.csv").detail


def test_nothing_outside_is_read() -> None:
    entity = b'<!DOCTYPE martif [<!ENTITY x SYSTEM "file:///etc/passwd">]><martif>&x;</martif>'
    assert refusal(entity, "x.tbx").code == "unsafe-document"
    raw, file = xlsx_of([HEADING, *ROWS]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(file, "w") as target:
        for name in archive.namelist():
            content = archive.read(name)
            target.writestr(name, b"<!DOCTYPE a []>" + content if name.endswith("sheet1.xml") else content)
    assert refusal(file.getvalue(), "x.xlsx").code == "unsafe-document"
    assert refusal(raw[: len(raw) // 2], "x.xlsx").code in {"invalid-document", "invalid-glossary"}


def test_a_refusal_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    assert "assay[xlsx]" in refusal(b"PK\x03\x04", "x.xlsx").detail


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="|"), max_size=20)
NAMES = CELLS.map(str.strip).filter(lambda text: any(c.isalnum() for c in text))


@given(st.lists(st.tuples(NAMES, st.lists(NAMES, min_size=1, max_size=3, unique=True)), min_size=1, max_size=5))
def test_a_csv_file_keeps_each_term(rows: list[tuple[str, list[str]]]) -> None:
    raw = csv_of([HEADING[:2], *((source, "|".join(targets)) for source, targets in rows)])
    assert read(raw, "x.csv").terms == tuple(Term(source, tuple(targets)) for source, targets in rows)


@given(st.binary(max_size=300), st.sampled_from(["x.csv", "x.tsv", "x.tbx", "x.xlsx"]))
def test_any_bytes_are_a_glossary_or_refused(raw: bytes, name: str) -> None:
    try:
        assert read(raw, name).terms
    except InputError as error:
        assert error.detail
