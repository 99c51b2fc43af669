"""Reading tables: what is accepted, and errors that name the place."""

import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.errors import InputError
from app.text.reading.lines import TextColumn, TextFile, decode_text, read_bytes
from app.text.reading.tables import Table, open_lines, open_table, read_column, read_systems


def lines(text: str) -> list[str]:
    return list(TextFile("f", text.encode()).lines())


def read_table(raw: bytes, name: str, required: Sequence[str] | None = None) -> Table:
    return open_table(TextFile(name, raw), required=required).read()


def test_lines_end_at_newlines_alone() -> None:
    assert lines("a\x0bb\u2028c\x85d\r\ne\n") == ["a\x0bb\u2028c\x85d", "e"]
    assert lines("") == []
    assert lines("\n\n") == ["", ""]


def test_columns_in_any_order_with_a_header() -> None:
    table = read_table("\ufeffid\ttranslation\tsource\r\n1\tGuten Tag\tGood day\r\n".encode(), "f.tsv")
    assert (list(table["source"]), list(table["translation"]), list(table["id"])) == (["Good day"], ["Guten Tag"], ["1"])


def test_two_columns_without_a_header() -> None:
    assert list(read_table(b"a\tb\nc\td\n", "f")["translation"]) == ["b", "d"]


@pytest.mark.parametrize(
    ("raw", "code", "said"),
    [
        (b"", "empty-input", "empty"),
        (b"source\ttranslation\n", "empty-input", "no segments"),
        (b"a\tb\nc\n", "invalid-table", "line 2"),
        (b"a\tb\tc\n", "invalid-table", "line 1 of f has 3 columns"),
        (b"source\ttranslation\na\tb\tc\n", "invalid-table", "line 2 of f has 3 columns"),
        (b"source\tsource\ttranslation\na\tb\tc\n", "invalid-table", "twice"),
        (b"a\tb\n\xff\tb\n", "invalid-encoding", "byte 5 of f, in line 2"),
        (b"a\tb\nc\0\td\n", "invalid-character", "line 2 of f"),
    ],
)
def test_what_is_wrong_is_named(raw: bytes, code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(raw, "f")
    assert caught.value.code == code
    assert said in caught.value.detail


@pytest.mark.parametrize("raw", [b"", b"source\ttranslation\n", b"a\tb\nc\n"])
def test_errors_name_a_file_once_where_it_is_all_that_they_name(raw: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_table(raw, "empty.txt")
    where, told = caught.value.where, str(caught.value)
    assert told.count("empty.txt") == len(where) and told.startswith("empty.txt")


def test_a_damaged_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"a\tb\n" * 1000)[:-20])
    with pytest.raises(InputError, match="damaged"):
        read_bytes(path)


def test_column_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n1\t2\n3\t4\n")
    assert read_column(f"{path}:b") == ["2", "4"]
    with pytest.raises(InputError, match="no column c"):
        read_column(f"{path}:c")


def test_bytes_that_are_not_utf8_name_their_place() -> None:
    with pytest.raises(InputError) as caught:
        decode_text(b"fine\nbad \xe9 byte", "old.txt")
    assert caught.value.where == ("old.txt", 2)


@given(st.binary(max_size=60) | st.text("ab\t\n\r\ufeffé", max_size=40).map(str.encode))
def test_lines_are_those_of_the_whole_text(raw: bytes) -> None:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        with pytest.raises(InputError, match=f"byte {error.start + 1} of f, in line") as caught:
            _no_nul(raw, error.start)
            list(TextFile("f", raw).lines())
        assert caught.value.where == ("f", raw[: error.start].count(b"\n") + 1)
        return
    _no_nul(raw, len(raw))
    expected = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    assert list(TextFile("f", raw).lines()) == expected
    assert list(TextFile("f", io.BytesIO(raw)).lines()) == expected


def _no_nul(raw: bytes, end: int) -> None:
    assume(b"\0" not in raw[:end])


def test_a_line_without_end_is_refused_without_reading_on() -> None:
    file = io.BytesIO(b"a\n" + b"x" * 10**6)
    lines_of_file = TextFile("f", file, 100).lines()
    assert next(lines_of_file) == "a"
    with pytest.raises(InputError, match="line 2 of f has more than 100 bytes"):
        next(lines_of_file)
    assert file.tell() <= 200


def test_a_nul_names_line_and_byte() -> None:
    with pytest.raises(InputError, match="line 2 of f holds a NUL character, byte 4"):
        list(TextFile("f", b"a\nb\0").lines())


def test_files_beside_a_table_become_its_columns() -> None:
    raw = "token_log_probs\tsrc\tmt\tid\n-9\ta\tb\t1\n-9\t\td\t2\n"
    stream = open_table(TextFile("file", raw.encode()), {"token_log_probs": TextFile("log_probs", b"-1\n-2\n")})
    assert stream.names == ("source", "translation", "id", "token_log_probs")
    assert list(stream.rows) == [("a", "b", "1", "-1"), ("", "d", "2", "-2")]


@pytest.mark.parametrize("raw", [b"a\tb\n\nc\td\n", b"a\tb\nc\td\n\n", b"source\tmt\na\tb\n\r\nc\td\n"])
def test_an_empty_line_beside_other_files_is_refused(raw: bytes) -> None:
    at = next(number for number, line in enumerate(raw.split(b"\n"), 1) if not line.strip())
    assert len(read_table(raw, "f")) >= 2
    with pytest.raises(InputError, match=f"line {at} of f is empty") as caught:
        open_table(TextFile("f", raw), {"tokens": TextColumn("tokens", ["x", "y", "z"])}).read()
    assert (caught.value.code, caught.value.where) == ("invalid-table", ("f", at))


def test_lines_side_by_side_keep_their_empty_segments() -> None:
    table = open_lines({"source": TextFile("s", b"a\n\nc\n"), "translation": TextColumn("t", ["x", "y", ""])}).read()
    assert dict(table.columns) == {"source": ["a", "", "c"], "translation": ["x", "y", ""]}


@given(st.lists(st.integers(0, 5), min_size=2, max_size=4))
def test_unequal_files_are_named_with_both_lengths(lengths: list[int]) -> None:
    files = {f"f{k}": TextColumn(f"f{k}", ["x"] * length) for k, length in enumerate(lengths)}
    if len(set(lengths)) == 1:
        assert len(open_lines(files).read()) == lengths[0]
        return
    short, long = lengths.index(min(lengths)), lengths.index(max(lengths))
    with pytest.raises(InputError) as caught:
        open_lines(files).read()
    assert (
        caught.value.detail == f"f{short} has {min(lengths)} line{'' if min(lengths) == 1 else 's'} but f{long} has {max(lengths)}"
    )


def test_any_table_by_the_columns_that_it_must_have() -> None:
    table = read_table(b"Human\tnote\t\t\n1.5\tx\t\t\n\n-2\t\t\t\n", "f", ["Human"])
    assert (list(table.columns), table.numbers("Human")) == (["Human", "note"], [1.5, -2.0])
    with pytest.raises(InputError, match="the table has no column human; its columns are Human, note"):
        read_table(b"Human\tnote\n1\tx\n", "f", ["human"])
    with pytest.raises(InputError, match="names a column twice"):
        read_table(b"a\ta\n1\t2\n", "f", ["a"])
    for cell in (b"x", b"nan", b"inf", b""):
        with pytest.raises(InputError) as caught:
            read_table(b"Human\tnote\n1\tx\n" + cell + b"\tx\n", "f", []).numbers("Human")
        assert caught.value.where == ("Human",) and "row 2" in caught.value.detail
    with pytest.raises(InputError, match="the table has no column other"):
        open_table(TextFile("f", b"a\tb\n")).select(["other"])


def test_objects_have_columns_too(tmp_path: Path) -> None:
    lined, listed = tmp_path / "x.jsonl", tmp_path / "x.json"
    lined.write_text('{"a": "1"}\n\n{"a": "", "b": 2}\n')
    listed.write_text('[{"a": "1"}, {"a": ""}]')
    assert read_column(f"{lined}:a") == read_column(f"{listed}:a") == ["1", ""]
    with pytest.raises(InputError, match="object 0 has no text under the key b"):
        read_column(f"{lined}:b")
    lined.write_text('{"a": "1"}\n{"a"\n')
    with pytest.raises(InputError, match="line 2, column 5: this is not JSON"):
        read_column(f"{lined}:a")


def test_systems_are_columns() -> None:
    assert dict(read_systems(TextFile("f", b"a\n\nb\n")).columns) == {"system": ["a", "", "b"]}
    assert dict(read_systems(TextFile("f", b"a\tb\n\td\n")).columns) == {"system1": ["a", ""], "system2": ["b", "d"]}
    with pytest.raises(InputError, match="line 2 of f is empty"):
        read_systems(TextFile("f", b"a\tb\n\n"))
    with pytest.raises(InputError, match="line 2 has 3 columns, the first has 2"):
        read_systems(TextFile("f", b"a\tb\nc\td\te\n"))


def test_errors_do_not_repeat_a_long_header() -> None:
    header = b"source\ttranslation\t" + b"x" * 10**6
    with pytest.raises(InputError, match=r"line 2 of f has 2 columns, expected 3 \(source, translation, ") as caught:
        read_table(header + b"\na\tb\n", "f")
    assert len(caught.value.detail) < 600
