"""Parallel text for a selection, as a stream of chunks: raw lines and words."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools
from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.text.batch import TokenColumn, pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.reading.lines import decode_text
from app.text.tokenisation import tokens_of

__all__ = ["CHUNK", "MOST_WORDS", "Pool", "PoolChunk", "read_side"]

# Pairs of a chunk; results do not depend on it.
CHUNK: Final = 5000
BEYOND_WORDS: Final = "has a link beyond the words of its sentences"


@dataclass(frozen=True)
class PoolChunk:
    """Successive pairs: the position of the first, from 0, and raw lines of source, target and optional links."""

    first: int
    paths: tuple[Path, ...]
    lines: tuple[list[bytes], ...]

    def __len__(self) -> int:
        return len(self.lines[0])

    @cached_property
    def pairs(self) -> ParallelCorpus:
        """Lower-cased words of both sides, divided by blanks; no words if a side is empty or has more than `MOST_WORDS`.

        InputError (`invalid-encoding`, `invalid-character`; `invalid-table` for links) names file and line.
        """
        source, target = (self._words(side) for side in (0, 1))
        for row, sides in enumerate(zip(source, target, strict=True)):
            if not all(0 < len(words) <= MOST_WORDS for words in sides):
                source[row] = target[row] = []
        corpus = ParallelCorpus(pack_tokens(source), pack_tokens(target))
        return corpus if len(self.lines) < 3 else corpus.linked(self._links(corpus))

    @property
    def usable(self) -> Bools:
        """Mask of pairs with 1 to `MOST_WORDS` words on both sides; shape (pairs,)."""
        return np.asarray(self.pairs.source.lengths > 0)

    def _words(self, side: int) -> list[list[str]]:
        name = str(self.paths[side])
        return [tokens_of(decode_text(line, name, number).lower()) for number, line in enumerate(self.lines[side], self.first + 1)]

    def _links(self, pairs: ParallelCorpus) -> WordLinks:
        path = self.paths[2]
        # Links of unusable pairs point to words that are not stored.
        rows = [
            line.decode("ascii", "replace") if usable else ""
            for line, usable in zip(self.lines[2], pairs.source.lengths, strict=True)
        ]
        try:
            links = WordLinks.read(rows)
        except InputError as error:
            (line,) = error.where
            raise InputError(error.code, error.detail, (str(path), self.first + int(line))) from None
        segments = links.segments
        outside = (links.source >= pairs.source.lengths[segments]) | (links.target >= pairs.target.lengths[segments])
        if outside.any():
            raise line_error(path, self.first + 1 + int(segments[np.argmax(outside)]), BEYOND_WORDS)
        return links


@dataclass(frozen=True)
class Pool:
    """Two tokenised texts, one sentence a line, gzipped or plain. `links` is a file with ``i-j`` links of each pair."""

    source: Path
    target: Path
    links: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of the pool."""
        return (self.source, self.target, *([] if self.links is None else [self.links]))

    def __len__(self) -> int:
        """Number of lines of the source, which is read for it."""
        with ExitStack() as stack:
            return sum(1 for _ in read_lines(self.source, stack))

    def chunks(self, size: int = CHUNK) -> Iterator[PoolChunk]:
        """Yield all pairs in order, `size` a chunk.

        InputError names the file and the line: `unequal-lengths`, `empty-input` for an empty pool, `segment-too-long`.
        """
        with ExitStack() as stack:
            columns = [read_lines(path, stack) for path in self.paths]
            first = 0
            while True:
                parts = [list(islice(column, size)) for column in columns]
                if len({len(part) for part in parts}) > 1:
                    self._refuse_lengths(
                        [first + len(part) + sum(1 for _ in column) for part, column in zip(parts, columns, strict=True)]
                    )
                if not parts[0]:
                    break
                yield PoolChunk(first, self.paths, tuple(parts))
                first += len(parts[0])
        if not first:
            raise InputError("empty-input", f"{self.source} is empty; one sentence a line is expected", (str(self.source),))

    def _refuse_lengths(self, lengths: Sequence[int]) -> None:
        shortest, longest = lengths.index(min(lengths)), lengths.index(max(lengths))
        detail = f"{self.paths[shortest]} has {lengths[shortest]} lines but {self.paths[longest]} has {lengths[longest]}"
        raise InputError("unequal-lengths", detail, (str(self.paths[shortest]), lengths[shortest] + 1))


def read_side(path: Path) -> TokenColumn:
    """Lower-cased words of a text, in memory, without lines of more than `MOST_WORDS` words.

    InputError names file and line; `empty-input` if no line remains.
    """
    rows = [tokens_of(line.lower()) for _, line in numbered_lines(path)]
    usable_rows = [row for row in rows if 0 < len(row) <= MOST_WORDS]
    if not usable_rows:
        raise InputError("empty-input", f"{path} has no words; one sentence a line is expected", (str(path),))
    return pack_tokens(usable_rows)
