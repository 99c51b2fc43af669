"""Rows of a compact table as texts."""

from itertools import pairwise

from app.smt.corpus.phrases.compact import CompactTable
from app.text.hashing import hash_tokens


def rows_of(table: CompactTable, source: str) -> list[int]:
    rows, _ = table.rows_of_sources(hash_tokens([source]))
    return rows.tolist()  # type: ignore[no-any-return]


def target_of(table: CompactTable, row: int) -> str:
    return " ".join(table.spelled(table.words[table.offsets[row] : table.offsets[row + 1]].astype("int64")))


def links_of(table: CompactTable, row: int) -> list[tuple[int, int]]:
    places = table.links[table.link_offsets[row] : table.link_offsets[row + 1]].tolist()
    return list(zip(places[::2], places[1::2], strict=True))


def vocabulary_of(table: CompactTable) -> list[str]:
    text, ends = table.spelling.tobytes(), table.spelling_offsets.tolist()
    return [text[begin:end].decode() for begin, end in pairwise(ends)]
