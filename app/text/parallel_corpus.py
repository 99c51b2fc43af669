"""`ParallelCorpus`: n segments and their translations as word ids, with links between words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from app.arrays import Int32s, Int64s
from app.errors import InputError
from app.text.batch import TokenColumn, pack_lines
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["ParallelCorpus", "WordLinks"]

# Digits of a word position in a line of links.
LONGEST_POSITION = 6


@dataclass(frozen=True)
class WordLinks:
    """Links of n segments: those of segment i are ``offsets[i]:offsets[i + 1]``; link k joins ``source[k]`` and ``target[k]``.

    Words count from 0 in their segment. Links are sorted by source word, then by target word.
    """

    offsets: Int64s
    source: Int32s
    target: Int32s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def segments(self) -> Int64s:
        """The segment of each link; shape (links,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def reversed(self) -> "WordLinks":
        """Links from target to source."""
        order = np.lexsort((self.source, self.target, self.segments))
        return WordLinks(self.offsets, self.target[order], self.source[order])

    def rows(self, rows: Int64s) -> "WordLinks":
        """Links of these segments, in their order."""
        positions, offsets = ragged_rows(self.offsets, rows)
        return WordLinks(offsets, self.source[positions], self.target[positions])

    def lines(self) -> Iterator[str]:
        """Lines like ``0-0 1-2``, one per segment, source first."""
        links = [f"{i}-{j}" for i, j in zip(self.source.tolist(), self.target.tolist(), strict=True)]
        ends = self.offsets.tolist()
        return (" ".join(links[begin:end]) for begin, end in pairwise(ends))

    @classmethod
    def of(cls, segments: Sequence[Iterable[tuple[int, int]]]) -> "WordLinks":
        """Build links from pairs (source, target) of each segment, in any order; duplicates count once."""
        rows = [sorted(set(pairs)) for pairs in segments]
        flat = np.array([pair for row in rows for pair in row], np.int32).reshape(-1, 2)
        return cls(offsets_of([len(row) for row in rows]), flat[:, 0].copy(), flat[:, 1].copy())

    @classmethod
    def read(cls, lines: Iterable[str]) -> "WordLinks":
        """Read lines like ``0-0 1-2``; InputError (`invalid-table`) names the first line of another form."""
        return cls.of([_pairs(line, number) for number, line in enumerate(lines, 1)])


def _pairs(line: str, number: int) -> list[tuple[int, int]]:
    ends = [link.split("-") for link in line.split()]
    if not all(len(pair) == 2 and all(map(_is_position, pair)) for pair in ends):
        raise InputError("invalid-table", "links are pairs of words that count from 0; write them as 0-0 1-2", (number,))
    return [(int(source), int(target)) for source, target in ends]


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_POSITION


@dataclass(frozen=True)
class ParallelCorpus:
    """n segments with their translations; `links` is None without an alignment."""

    source: TokenColumn
    target: TokenColumn
    links: WordLinks | None = None

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise InputError("unequal-lengths", f"{len(self.source)} source segments but {len(self.target)} target segments")
        if self.links is not None:
            self._check(self.links)

    def _check(self, links: WordLinks) -> None:
        if len(links) != len(self):
            raise InputError("unequal-lengths", f"{len(self)} segments but {len(links)} lines of links")
        segments = links.segments
        outside = (links.source >= self.source.lengths[segments]) | (links.target >= self.target.lengths[segments])
        if outside.any():
            row = int(segments[np.argmax(outside)])
            raise InputError("invalid-table", "a link names a word beyond the end of its segment", ("links", row))

    def __len__(self) -> int:
        return len(self.source)

    @property
    def reversed(self) -> "ParallelCorpus":
        """Corpus of the opposite direction."""
        return ParallelCorpus(self.target, self.source, None if self.links is None else self.links.reversed)

    def linked(self, links: WordLinks) -> "ParallelCorpus":
        """Copy with these links."""
        return replace(self, links=links)

    def rows(self, rows: Int64s) -> "ParallelCorpus":
        """Segments of these rows, in their order."""
        links = None if self.links is None else self.links.rows(rows)
        return ParallelCorpus(self.source.rows(rows), self.target.rows(rows), links)

    @classmethod
    def of_lines(cls, source: Sequence[str], target: Sequence[str], links: Iterable[str] | None = None) -> "ParallelCorpus":
        """Build a corpus from lines of blank-separated tokens, and from lines of links."""
        return cls(pack_lines(source), pack_lines(target), None if links is None else WordLinks.read(links))
