"""Phrase tables: Moses' text format, ``source ||| target ||| scores [||| links [||| counts [||| sparse]]]``, and compact tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.errors import InputError
from app.smt.corpus.phrases.compact import CompactTable, is_compact
from app.smt.corpus.phrases.table_text import TableBlock, read_table
from app.smt.decoder.sparse.names import RowFeatures
from app.smt.decoder.text_phrases import TextPhrases
from app.text.ragged import ragged_rows

__all__ = ["PhraseRows", "PhraseVocabulary", "join_rows", "read_phrase_table"]


class PhraseVocabulary:
    """Words with numbers in order of appearance."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """Number of a word; a new word gets the next number."""
        number = self._numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number

    def numbers(self, words: Sequence[str]) -> Int32s:
        """Number of each word; shape (words,)."""
        return np.array([self.number(word) for word in words], np.int32)


@dataclass(frozen=True)
class PhraseRows:
    """Phrase pairs: hashes of sources and of pairs, target words, logarithms of scores, and word links.

    `words` and `links` are ragged, by `offsets` and `link_offsets`. A link takes two places in `links`: source index and target
    index. `longest` is the length of the longest source in words. `sparse` holds sparse features that depend on the pair alone, or
    None.
    """

    sources: UInt64s
    pairs: UInt64s
    offsets: Int64s
    words: Int32s
    scores: Float64s
    link_offsets: Int64s
    links: Int32s
    longest: int
    sparse: RowFeatures | None = None

    def __len__(self) -> int:
        return len(self.sources)

    def rows(self, order: Int64s) -> "PhraseRows":
        """Copy of these rows, in this order."""
        offsets, words = _ragged(self.offsets, self.words, order)
        link_offsets, links = _ragged(self.link_offsets, self.links, order)
        return PhraseRows(
            self.sources[order], self.pairs[order], offsets, words, self.scores[order], link_offsets, links, self.longest,
            None if self.sparse is None else self.sparse.rows(order),
        )  # fmt: skip


def _ragged(offsets: Int64s, values: Any, rows: Int64s) -> tuple[Int64s, Any]:
    _check_within(offsets[rows + 1] - offsets[rows], len(values) + 1)
    places, new_offsets = ragged_rows(offsets, rows)
    return new_offsets, values[places]


def read_phrase_table(
    path: Path | CompactTable,
    scores: int,
    vocabulary: PhraseVocabulary,
    text_phrases: TextPhrases | None = None,
    sparse: Callable[[TableBlock], RowFeatures | None] = lambda block: None,
) -> PhraseRows:
    """Read a table with `scores` columns of scores: text, or compact, either open or a file.

    With `text_phrases`, rows that the text cannot use are skipped. `sparse` computes features of a block's lines; compact tables
    have none. InputError names the line that is no row of a table.
    """
    if isinstance(path, CompactTable):
        return _read_compact(path, scores, vocabulary, text_phrases)
    if is_compact(path):
        return _read_compact(CompactTable.open(path), scores, vocabulary, text_phrases)
    sources, pairs, values = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)], [np.zeros((0, scores))]
    widths, words = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    link_widths, links = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    longest = 0
    sparse_parts: list[RowFeatures | None] = []
    for block in read_table(path, scores, source_mask=None if text_phrases is None else text_phrases.allowed):
        sources.append(block.source_hashes())
        pairs.append(block.pair_hashes())
        values.append(block.scores)
        distinct_words, places, offsets = block.target_words()
        words.append(vocabulary.numbers(distinct_words)[places])
        widths.append(np.diff(offsets))
        links.append(block.links)
        link_widths.append(2 * np.diff(block.link_offsets))
        longest = max(longest, block.longest_source())
        sparse_parts.append(sparse(block))
    if len(sources) == 1 and (text_phrases is None or next(read_table(path, scores), None) is None):
        raise InputError("empty-input", f"{path.name} is empty; give a phrase table", (path.name,))
    return PhraseRows(
        np.concatenate(sources), np.concatenate(pairs), np.cumsum(np.concatenate(widths)), np.concatenate(words),
        np.concatenate(values), np.cumsum(np.concatenate(link_widths)), np.concatenate(links), longest,
        _joined_sparse(sparse_parts, [len(rows) for rows in sources[1:]]),
    )  # fmt: skip


def _read_compact(table: CompactTable, scores: int, vocabulary: PhraseVocabulary, text_phrases: TextPhrases | None) -> PhraseRows:
    if table.scores.shape[1] != scores:
        raise InputError(
            "invalid-table", f"{table.name} has {table.scores.shape[1]} scores a row, but num-features is {scores}", (table.name,)
        )
    keys = np.asarray(table.sources) if text_phrases is None else text_phrases.among(table.sources, table.longest)
    try:
        return _rows_of_sources(table, keys, vocabulary)
    except (IndexError, MemoryError, ValueError):
        raise InputError(
            "invalid-table", f"{table.name} is damaged; write it again with assay smt compact-table", (table.name,)
        ) from None


def _rows_of_sources(table: CompactTable, keys: UInt64s, vocabulary: PhraseVocabulary) -> PhraseRows:
    """Rows of these sources; IndexError or ValueError if numbers of the table are out of range."""
    rows, counts = table.rows_of_sources(keys)
    _check_within(rows, len(table))
    offsets, words = _ragged(table.offsets, table.words, rows)
    _check_within(words, len(table.spelling_offsets) - 1)
    distinct, word_places = np.unique(words, return_inverse=True)
    link_offsets, links = _ragged(table.link_offsets, table.links, rows)
    scores = table.scores[rows].astype(np.float64)
    if not np.isfinite(scores).all() or (np.diff(link_offsets) % 2).any():
        raise ValueError
    return PhraseRows(
        np.repeat(keys, counts), table.pairs[rows], offsets, vocabulary.numbers(table.spelled(distinct))[word_places.reshape(-1)],
        scores, link_offsets, links.astype(np.int32), table.longest,
    )  # fmt: skip


def _check_within(places: Any, count: int) -> None:
    if len(places) and not 0 <= places.min() <= places.max() < count:
        raise IndexError


def join_rows(tables: Sequence[PhraseRows]) -> PhraseRows:
    """Concatenate rows of several tables; each has score columns of its own, which are 0 in rows of the rest."""
    widths = [table.scores.shape[1] for table in tables]
    scores = np.zeros((sum(map(len, tables)), sum(widths)))
    row = column = 0
    for table, width in zip(tables, widths, strict=True):
        scores[row : row + len(table), column : column + width] = table.scores
        row, column = row + len(table), column + width
    offsets, words = _joined_ragged([(table.offsets, table.words) for table in tables])
    link_offsets, links = _joined_ragged([(table.link_offsets, table.links) for table in tables])
    return PhraseRows(
        np.concatenate([table.sources for table in tables]), np.concatenate([table.pairs for table in tables]), offsets, words,
        scores,
        link_offsets, links, max(table.longest for table in tables),
        _joined_sparse([table.sparse for table in tables], [len(table) for table in tables]),
    )  # fmt: skip


def _joined_sparse(parts: Sequence[RowFeatures | None], lengths: Sequence[int]) -> RowFeatures | None:
    if all(part is None for part in parts):
        return None
    return RowFeatures.joined(
        [RowFeatures.empty(length) if part is None else part for part, length in zip(parts, lengths, strict=True)]
    )


def _joined_ragged(parts: Sequence[tuple[Int64s, Int32s]]) -> tuple[Int64s, Int32s]:
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in parts])
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate([values for _, values in parts])
