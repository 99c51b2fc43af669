"""Phrase tables in Moses' text format: ``source ||| target ||| scores [||| alignment [||| counts]]``."""

from array import array
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.errors import InputError
from app.text.hashing import hash_tokens
from app.translation.table_text import log_scores, refused_line, table_lines

__all__ = ["PhraseRows", "Vocabulary", "join_rows", "read_phrase_table"]

CHUNK: Final = 20_000
SPARSE_CELL: Final = 5


class Vocabulary:
    """Words by number, in the order in which they came."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """The number of a word, a new one if it is new."""
        number = self._numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number


@dataclass(frozen=True)
class PhraseRows:
    """Pairs of phrases: hashes of the source and of the whole pair, words of the target, logarithms of scores, and alignments.

    `words` and `links` are ragged by `offsets` and `link_offsets`; a link is two places in `links`. `longest` is in words of the
    source.
    """

    sources: UInt64s
    pairs: UInt64s
    offsets: Int64s
    words: Int32s
    scores: Float64s
    link_offsets: Int64s
    links: Int32s
    longest: int

    def __len__(self) -> int:
        return len(self.sources)

    def rows(self, chosen: Int64s) -> "PhraseRows":
        """These rows, in this order."""
        offsets, words = _ragged(self.offsets, self.words, chosen)
        link_offsets, links = _ragged(self.link_offsets, self.links, chosen)
        return PhraseRows(
            self.sources[chosen], self.pairs[chosen], offsets, words, self.scores[chosen], link_offsets, links, self.longest
        )


def _ragged(offsets: Int64s, values: Int32s, chosen: Int64s) -> tuple[Int64s, Int32s]:
    lengths = np.diff(offsets)[chosen]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(offsets[:-1][chosen] - ends[:-1], lengths) + np.arange(ends[-1])
    return ends, values[places]


def read_phrase_table(path: Path, scores: int, vocabulary: Vocabulary, only: Container[str] | None = None) -> PhraseRows:
    """Read a table with as many scores a line, or the lines of `only` these source phrases.

    InputError names the line that is not one of a table; ``empty-input`` where there is none at all.
    """
    sources, targets = _Hashes(), _Hashes()
    offsets, words, values = array("q", [0]), array("i"), array("d")
    link_offsets, links = array("q", [0]), array("i")
    longest = 0
    for number, cells in table_lines(path, only):
        if len(cells) < 3 or not cells[0]:
            raise refused_line(path, number, "expected: source ||| target ||| scores")
        if len(cells) > SPARSE_CELL and cells[SPARSE_CELL]:
            raise refused_line(path, number, "it has sparse features, which are not read")
        values.extend(log_scores(path, number, cells[2], scores))
        sources.add(cells[0])
        targets.add(f"{cells[0]} ||| {cells[1]}")
        words.extend(map(vocabulary.number, cells[1].split()))
        offsets.append(len(words))
        if len(cells) > 3 and cells[3]:
            links.extend(_links(path, number, cells))
        link_offsets.append(len(links))
        longest = max(longest, cells[0].count(" ") + 1)
    if len(offsets) == 1 and (only is None or next(table_lines(path), None) is None):
        raise InputError("empty-input", f"{path.name} is empty; a phrase table is expected", (path.name,))
    return PhraseRows(
        sources.all(), targets.all(), _numbers(offsets, np.int64), _numbers(words, np.int32),
        _numbers(values, np.float64).reshape(-1, scores), _numbers(link_offsets, np.int64), _numbers(links, np.int32), longest,
    )  # fmt: skip


def _numbers(numbers: "array[Any]", kind: type[Any]) -> Any:
    return np.frombuffer(numbers, kind) if numbers else np.empty(0, kind)


def _links(path: Path, number: int, cells: Sequence[str]) -> list[int]:
    """Places of an alignment ``0-0 1-2``, which are within the phrases."""
    ends = (cells[0].count(" ") + 1, len(cells[1].split()))
    try:
        places = [(int(left), int(right)) for left, _, right in (link.partition("-") for link in cells[3].split())]
    except ValueError:
        raise refused_line(path, number, "an alignment is not of the form 0-0 1-2") from None
    if any(not (0 <= left < ends[0] and 0 <= right < ends[1]) for left, right in places):
        raise refused_line(path, number, "a link leads out of the phrases")
    return [place for link in places for place in link]


class _Hashes:
    """Hashes of texts that are not kept."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._hashes: list[UInt64s] = []

    def add(self, text: str) -> None:
        self._texts.append(text)
        if len(self._texts) == CHUNK:
            self._flush()

    def _flush(self) -> None:
        self._hashes.append(hash_tokens(self._texts))
        self._texts = []

    def all(self) -> UInt64s:
        self._flush()
        return np.concatenate(self._hashes)


def join_rows(tables: Sequence[PhraseRows]) -> PhraseRows:
    """The rows of several tables; the scores of each stand in columns of their own, where the others have 0."""
    widths = [table.scores.shape[1] for table in tables]
    scores = np.zeros((sum(map(len, tables)), sum(widths)))
    row = column = 0
    for table, width in zip(tables, widths, strict=True):
        scores[row : row + len(table), column : column + width] = table.scores
        row, column = row + len(table), column + width
    offsets, words = _join([(table.offsets, table.words) for table in tables])
    link_offsets, links = _join([(table.link_offsets, table.links) for table in tables])
    return PhraseRows(
        np.concatenate([table.sources for table in tables]), np.concatenate([table.pairs for table in tables]), offsets, words,
        scores,
        link_offsets, links, max(table.longest for table in tables),
    )  # fmt: skip


def _join(parts: Sequence[tuple[Int64s, Int32s]]) -> tuple[Int64s, Int32s]:
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in parts])
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate([values for _, values in parts])
