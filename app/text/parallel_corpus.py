"""`ParallelCorpus`: n segments and their translations as numbers, with links between their words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from app.arrays import Int32s, Int64s
from app.errors import InputError
from app.text.batch import TokenColumn, pack_lines
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["ParallelCorpus", "WordLinks"]

# Places of words in a line of links have at most so many digits.
LONGEST_PLACE = 6


@dataclass(frozen=True)
class WordLinks:
    """Links of n segments: link k, of ``offsets[i]:offsets[i + 1]`` for segment i, joins word `source` and word `target`.

    Words count from 0 in their segment; links are in the order of their source words, then of their target words.
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
    def flipped(self) -> "WordLinks":
        """The same from target to source."""
        order = np.lexsort((self.source, self.target, self.segments))
        return WordLinks(self.offsets, self.target[order], self.source[order])

    def rows(self, rows: Int64s) -> "WordLinks":
        """The links of some segments."""
        places, offsets = ragged_rows(self.offsets, rows)
        return WordLinks(offsets, self.source[places], self.target[places])

    def lines(self) -> Iterator[str]:
        """``0-0 1-2`` for each segment, source first."""
        links = [f"{i}-{j}" for i, j in zip(self.source.tolist(), self.target.tolist(), strict=True)]
        ends = self.offsets.tolist()
        return (" ".join(links[begin:end]) for begin, end in pairwise(ends))

    @classmethod
    def of(cls, segments: Sequence[Iterable[tuple[int, int]]]) -> "WordLinks":
        """From pairs (source, target) of each segment, in any order, each counted once."""
        rows = [sorted(set(pairs)) for pairs in segments]
        flat = np.array([pair for row in rows for pair in row], np.int32).reshape(-1, 2)
        return cls(offsets_of([len(row) for row in rows]), flat[:, 0].copy(), flat[:, 1].copy())

    @classmethod
    def read(cls, lines: Iterable[str]) -> "WordLinks":
        """What `lines` wrote; InputError ("invalid-table") names the line that holds something else."""
        return cls.of([_pairs(line, number) for number, line in enumerate(lines, 1)])


def _pairs(line: str, number: int) -> list[tuple[int, int]]:
    places = [link.split("-") for link in line.split()]
    if not all(len(pair) == 2 and all(map(_is_place, pair)) for pair in places):
        raise InputError("invalid-table", "links are pairs i-j of words counted from 0", (number,))
    return [(int(source), int(target)) for source, target in places]


def _is_place(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_PLACE


@dataclass(frozen=True)
class ParallelCorpus:
    """Two columns of n segments each; `links` where the words are aligned."""

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
            raise InputError("invalid-table", "a link names a word that the segment does not have", ("links", row))

    def __len__(self) -> int:
        return len(self.source)

    @property
    def flipped(self) -> "ParallelCorpus":
        """The same in the other direction."""
        return ParallelCorpus(self.target, self.source, None if self.links is None else self.links.flipped)

    def linked(self, links: WordLinks) -> "ParallelCorpus":
        """The same with these links."""
        return replace(self, links=links)

    def rows(self, rows: Int64s) -> "ParallelCorpus":
        """Some of the segments."""
        links = None if self.links is None else self.links.rows(rows)
        return ParallelCorpus(self.source.rows(rows), self.target.rows(rows), links)

    @classmethod
    def of_lines(cls, source: Sequence[str], target: Sequence[str], links: Iterable[str] | None = None) -> "ParallelCorpus":
        """From lines of tokens between blanks, and lines of links."""
        return cls(pack_lines(source), pack_lines(target), None if links is None else WordLinks.read(links))
