"""Reading tables: what is accepted, and errors that name the place."""

import gzip
from pathlib import Path

import pytest

from app.errors import InputError
from app.text.lines import TextFile, decode_text, read_bytes
from app.text.tables import read_column, read_table


def lines(text: str) -> list[str]:
    return list(TextFile("f", text.encode()).lines())


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
