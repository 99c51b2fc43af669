"""One meaning of a table: the rows of the reader, of its stream, and the units of the documents are the same."""

import csv
import io
import time
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.documents import FILE_FORMATS, HEAD_BYTES, QualityMark, ReadOptions, file_format, is_plain_table, read_file
from app.documents.format import Sample
from app.errors import InputError
from app.text.reading.encodings import decode, encoding_of
from app.text.reading.headers import QUALITY_COLUMNS
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_table
from tests.documents.test_documents import EXPECTED, SAMPLES

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)
HEADERS = st.sampled_from(
    [None, ("source", "translation"), ("SRC", " Target "), ("msgid", "msgstr"), ("ro", "en"), ("original", "mt")]
)
MARK = QualityMark(0.5, 0.25, 0.1, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))


def joined(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(" ".join(source.split()), " ".join(translation.split())) for source, translation in rows]


@given(ROWS, HEADERS, st.sampled_from(["\n", "\r\n"]), st.lists(st.integers(0, 9), max_size=3), st.booleans(), st.booleans())
def test_every_reader_of_a_table_finds_the_rows_that_were_written(
    rows: list[tuple[str, str]], header: tuple[str, str] | None, end: str, empty: list[int], mark: bool, final: bool
) -> None:
    # Without a header, the first row must not look like one, nor like a document of another format.
    rows = rows if header else [("x " + rows[0][0], "x " + rows[0][1]), *rows[1:]]
    lines = ["\t".join(cells) for cells in ([header, *rows] if header else rows)]
    for at in empty:
        lines.insert(at, "")
    text = end.join(lines) + (end if final else "")
    raw = ("\ufeff" * mark + text).encode()
    table = open_table(TextFile("f", raw)).read()
    assert list(zip(table["source"], table["translation"], strict=True)) == rows
    assert list(open_table(TextFile("f", io.BytesIO(raw))).select(["source", "translation"])) == rows
    document = read_file(raw, "f")
    assert (document.format, document.skipped) == ("tsv", 0)
    assert is_plain_table(raw)
    assert document.languages == (("ro", "en") if header == ("ro", "en") else (None, None))
    assert [(unit.source, unit.translation) for unit in document.units] == joined(rows)
    # A mark on every row, nothing else changed, and the same rows again.
    annotated = document.marked([MARK] * len(rows))
    added = "\t" + "\t".join(["0.5000", "0.2500", "0.1000", "0.9000", "top", "numbers"])
    assert annotated.decode().replace(added, "").replace("\t" + "\t".join(QUALITY_COLUMNS), "").encode() == raw
    again = open_table(TextFile("f", annotated)).read()
    assert list(zip(again["source"], again["translation"], strict=True)) == rows
    assert list(again["assay_quality"]) == ["0.5000"] * len(rows)
    assert read_file(annotated, "f").marked([MARK] * len(rows)) == annotated


@given(ROWS, st.sampled_from([",", ";"]), st.booleans())
def test_csv_has_the_rows_of_the_same_table_in_tsv(rows: list[tuple[str, str]], delimiter: str, named: bool) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("source", "target"), *rows] if named else [("x", "y"), *rows])
    document = read_file(out.getvalue().encode(), "f")
    assert document.format == "csv"
    assert [(unit.source, unit.translation) for unit in document.units] == joined(rows if named else [("x", "y"), *rows])
    marks = [MARK] * len(document.units)
    annotated = document.marked(marks)
    assert read_file(annotated, "f").marked(marks) == annotated
    cells = [row[:2] for row in csv.reader(io.StringIO(annotated.decode(), newline=""), delimiter=delimiter)]
    assert cells == [list(row) for row in csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter)]


def test_a_row_with_an_empty_cell_is_a_unit_and_an_empty_line_is_none() -> None:
    raw = b"a\tb\n\n\tc\n\t\n"
    assert len(open_table(TextFile("f", raw)).read()) == 3
    document = read_file(raw, "f")
    assert [(unit.source, unit.translation, unit.line) for unit in document.units] == [("a", "b", 1), ("", "c", 3), ("", "", 4)]
    assert [line.count("\t") for line in document.marked([MARK] * 3).decode().split("\n")] == [7, 0, 7, 7, 0]


@given(st.text(st.sampled_from('ab\t\n\r ,;"|{}:<>?x1\0é'), max_size=40))
@example("<\x001111111111\t\x00")
def test_what_is_streamed_is_what_is_recognised_as_a_table(text: str) -> None:
    raw = text.encode()
    try:
        form = file_format(raw, "f").name
    except InputError as error:
        assume(error.code == "unknown-format")
        form = ""
    # What begins as UTF-16 does without its mark is read whole.
    assert is_plain_table(raw) == (form == "tsv" and encoding_of(raw, "f")[1] == "utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_are_of_one_format_and_streamed_where_they_are_tables_in_utf_8(name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    form = EXPECTED[name][0]
    text = decode(raw, name).text
    assert [each.name for each in FILE_FORMATS.values() if each.recognises(Sample(text))] == [form]
    assert is_plain_table(raw[:HEAD_BYTES]) == (form == "tsv")
    assert not is_plain_table(text.encode("utf-16"))


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_cut_character_does_not_hide_a_table(cut: int) -> None:
    assert is_plain_table(("a\tb\n" * 10 + "😀").encode()[:-cut])
    assert is_plain_table(b"a\tb\n\xff\tb\n") and is_plain_table(b"\xff\tb\n") and is_plain_table(b"")
    assert is_plain_table(b"x" * HEAD_BYTES) and not is_plain_table(b"{" + b"x" * HEAD_BYTES)


def test_many_comments_before_nothing_are_passed_over_at_once() -> None:
    begin = time.perf_counter()
    with pytest.raises(InputError, match="cannot read this file"):
        file_format(b"<!---->" * 20_000 + b"x", "f")
    with pytest.raises(InputError, match="cannot read this file"):
        file_format(b"<!DOCTYPE" + b"> " * 20_000 + b"x", "f")
    assert time.perf_counter() - begin < 5


def test_a_document_takes_one_mark_a_unit() -> None:
    document = FILE_FORMATS["tsv"].read(b"a\tb\nc\td\n", "f", ReadOptions())
    with pytest.raises(ValueError, match="1 marks for 2 units"):
        document.marked([MARK])


@pytest.mark.parametrize(
    ("rows", "comma"),
    [
        (["a;b;0,50", "c;d;", "e;f;x"], True),
        (["a;b;-1.234,5", "c;d; 12,5 % "], True),
        (["a;b;0,50", "c;d;0.50"], False),
        (["a;b;1,234.5"], False),
        (["a;b;1.2"], False),
        (["a;b;12"], False),
        (["a;b;12.03.2024", "c;d;1,2,3"], False),
    ],
)
def test_numbers_are_written_as_the_table_writes_its_own(rows: list[str], comma: bool) -> None:
    point = "," if comma else "."
    ours = f"0{point}7500;0{point}2500;0{point}1000;0{point}9000;top;numbers"
    # Without a heading too, where somebody says so.
    for heading, header in ((["source;mt;n"], None), (["sep=;"], False)):
        raw = "\n".join([*heading, *rows, ""]).encode()
        document = read_file(raw, "file", header=header)
        once = document.marked([replace(MARK, confidence=0.75)] * len(rows))
        assert once.decode().split("\n")[1:-1] == [f"{row};{ours}" for row in rows]
        again = read_file(once, "file", header=header)
        assert again.units == document.units and again.marked([replace(MARK, confidence=0.75)] * len(rows)) == once
    # A text that is a number is nothing that a spreadsheet counts with.
    assert b"0.2500" in read_file(b"source;mt;n\n0,50;0,25;x\n", "file").marked([MARK])
    # No cell with a comma stands in a table with commas, or is wanted in one with tabs.
    for delimiter in (",", "\t"):
        raw = f'source{delimiter}mt{delimiter}n\na{delimiter}b{delimiter}"0,50"\n'.encode()
        assert b"0.2500" in read_file(raw, "file").marked([MARK])
