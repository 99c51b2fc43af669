"""Compact tables: every row of the text is there, and nothing is read that is no such file."""

import gzip
import json
from math import log
from pathlib import Path

import pytest

from app.errors import InputError
from app.smt.corpus.phrases.compact import CompactTable, write_compact
from tests.smt.corpus.phrases.compact_rows import links_of, rows_of, target_of, vocabulary_of
from tests.smt.corpus.phrases.moses import TABLES, needs_moses

TEXT = "das haus ||| the house ||| 0.5 1e-300 1 0.25 ||| 0-0 1-1 ||| 2 1 1 ||| |||\ndas ||| the ||| 1 1 1 1 ||| 0-0\ndas ||| that ||| 0 1 1 1\n"


def compact(folder: Path, text: str) -> CompactTable:
    (folder / "table").write_text(text, "utf-8")
    write_compact(folder / "table", folder / "table.compact")
    return CompactTable.open(folder / "table.compact")


def test_rows_by_hand(tmp_path: Path) -> None:
    table = compact(tmp_path, TEXT)
    assert len(table) == 3 and table.longest == 2
    (row,) = rows_of(table, "das haus")
    assert (target_of(table, row), links_of(table, row)) == ("the house", [(0, 0), (1, 1)])
    assert table.scores[row].tolist() == pytest.approx([log(0.5), -100, 0, log(0.25)])
    assert [target_of(table, row) for row in rows_of(table, "das")] == ["the", "that"]
    assert [links_of(table, row) for row in rows_of(table, "das")] == [[(0, 0)], []]
    assert table.scores[rows_of(table, "das")[1], 0] == -100
    assert not rows_of(table, "haus") and not rows_of(table, "")
    assert vocabulary_of(table) == ["the", "house", "that"]


@pytest.mark.parametrize("longest", ["x", None, [1], 2.5, True, 0, -5])
def test_a_damaged_longest_phrase_is_refused(longest: object, tmp_path: Path) -> None:
    compact(tmp_path, TEXT)
    path = tmp_path / "table.compact"
    raw = path.read_bytes()
    begin = raw.index(b"{")
    size = int.from_bytes(raw[begin - 8 : begin], "little")
    header = json.loads(raw[begin : begin + size]) | {"longest": longest}
    written = json.dumps(header).encode()
    # What is left of the header's room is blanks, so that arrays stay in their places.
    assert len(written) <= size + 20
    grown = written.ljust(size) if len(written) <= size else written
    path.write_bytes(raw[: begin - 8] + len(grown).to_bytes(8, "little") + grown + raw[begin + size :])
    with pytest.raises(InputError, match=r"damaged|not whole"):
        CompactTable.open(path)


@needs_moses
def test_every_row_of_a_table_is_there(tmp_path: Path) -> None:
    text = gzip.open(TABLES / "phrase-table.gz", "rt", encoding="utf-8").read()
    table = compact(tmp_path, text)
    lines = text.splitlines()
    assert len(table) == len(lines)
    words = vocabulary_of(table)
    for row, line in list(enumerate(lines))[::50]:
        source, target, scores, links = line.split(" ||| ")[:4]
        assert row in rows_of(table, source)
        assert (
            target_of(table, row)
            == target
            == " ".join(words[word] for word in table.words[table.offsets[row] : table.offsets[row + 1]])
        )
        assert table.scores[row].tolist() == pytest.approx([log(float(score)) for score in scores.split()], rel=1e-6, abs=1e-6)
        assert " ".join(f"{one}-{other}" for one, other in sorted(links_of(table, row))) == " ".join(
            sorted(links.split(), key=lambda link: [*map(int, link.split("-"))])
        )


@pytest.mark.parametrize(
    "line", ["a ||| b\n", "a ||| b ||| x\n", "a ||| b ||| nan 1 1 1\n", "a ||| b ||| 1\n", "a ||| b ||| 1 1 1 1 ||| 0-1\n", "a ||| b ||| 1 1 1 1 ||| 0\n"]
)  # fmt: skip
def test_lines_that_are_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 4 of"):
        compact(tmp_path, TEXT + line)
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_rows_of_a_source_stand_together(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one after the other"):
        compact(tmp_path, TEXT + "das haus ||| that house ||| 1 1 1 1\n")


def test_files_that_are_none(tmp_path: Path) -> None:
    compact(tmp_path, TEXT)
    whole = (tmp_path / "table.compact").read_bytes()
    for content in (b"", b"ASSAYPT1", whole[:-100], b"x" + whole[1:]):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(InputError):
            CompactTable.open(tmp_path / "other")


def test_a_header_that_is_nested_too_deep_is_damaged(tmp_path: Path) -> None:
    header = b"[" * 100_000
    (tmp_path / "deep").write_bytes(b"ASSAYPT1" + len(header).to_bytes(8, "little") + header)
    with pytest.raises(InputError, match=r"header of .*deep is damaged"):
        CompactTable.open(tmp_path / "deep")
