"""Parallel text to choose from, as a stream: chunks of pairs, as they are written and as words."""

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
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.text.batch import TokenColumn, pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.reading.lines import decode_text
from app.text.tokenisation import tokens_of

__all__ = ["CHUNK", "MOST_WORDS", "Pool", "PoolChunk", "read_side"]

# Pairs of a chunk; no result depends on it.
CHUNK: Final = 5000


@dataclass(frozen=True)
class PoolChunk:
    """Some pairs: the place of the first among all, from 0, and lines as they are written: source, target, maybe links."""

    first: int
    paths: tuple[Path, ...]
    lines: tuple[list[bytes], ...]

    def __len__(self) -> int:
        return len(self.lines[0])

    @cached_property
    def pairs(self) -> ParallelCorpus:
        """The words between blanks, in lower case; without any where a side has none or more than `MOST_WORDS`.

        InputError (`invalid-encoding`, `invalid-character`; `invalid-table` of links) names file and line.
        """
        source, target = (self._words(side) for side in (0, 1))
        for row, both in enumerate(zip(source, target, strict=True)):
            if not all(0 < len(words) <= MOST_WORDS for words in both):
                source[row] = target[row] = []
        packed = ParallelCorpus(pack_tokens(source), pack_tokens(target))
        return packed if len(self.lines) < 3 else packed.linked(self._links(packed))

    @property
    def usable(self) -> Bools:
        """Which pairs have words on both sides, and not too many; shape (pairs,)."""
        return np.asarray(self.pairs.source.lengths > 0)

    def _words(self, side: int) -> list[list[str]]:
        name = str(self.paths[side])
        return [tokens_of(decode_text(line, name, number).lower()) for number, line in enumerate(self.lines[side], self.first + 1)]

    def _links(self, pairs: ParallelCorpus) -> WordLinks:
        path = self.paths[2]
        # What has no words has no links that could be looked at.
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
            line = self.first + 1 + int(segments[np.argmax(outside)])
            raise InputError(
                "invalid-table", f"line {line} of {path} has a link to a word that its sentences do not have", (str(path), line)
            )
        return links


@dataclass(frozen=True)
class Pool:
    """Two texts with a sentence a line, words with blanks between them; gzip is read too. `links` has ``i-j`` of each pair."""

    source: Path
    target: Path
    links: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Its files."""
        return (self.source, self.target, *([] if self.links is None else [self.links]))

    def chunks(self, size: int = CHUNK) -> Iterator[PoolChunk]:
        """All pairs in their order, `size` at a time.

        InputError names the file and the line: `unequal-lengths`, `empty-input` where there is no pair, `segment-too-long`.
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
        least, most = lengths.index(min(lengths)), lengths.index(max(lengths))
        detail = f"{self.paths[least]} has {lengths[least]} lines but {self.paths[most]} has {lengths[most]}"
        raise InputError("unequal-lengths", detail, (str(self.paths[least]), lengths[least] + 1))


def read_side(path: Path) -> TokenColumn:
    """A whole text of words, in lower case, in memory; lines of more than `MOST_WORDS` words are left out.

    InputError names file and line; `empty-input` where nothing is left.
    """
    with ExitStack() as stack:
        rows = [tokens_of(decode_text(line, str(path), number).lower()) for number, line in enumerate(read_lines(path, stack), 1)]
    kept = [row for row in rows if 0 < len(row) <= MOST_WORDS]
    if not kept:
        raise InputError("empty-input", f"{path} has no words; one sentence a line is expected", (str(path),))
    return pack_tokens(kept)
