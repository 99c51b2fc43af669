"""Provenance of phrase pairs: overlaps of extractions, additions of each, and pairs that a decoder used."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import UInt8s
from app.building.line_files import read_lines
from app.smt.corpus.external_sort import DEFAULT_MEMORY, sorted_lines
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.text.tokenisation import tokens_of

__all__ = ["Provenance", "compare_extractions", "used_pairs"]

BARS: Final = b" ||| "
BLOCK: Final = 1 << 16


@dataclass
class Provenance:
    """Counts of pairs by the set of extractions that have them, as a number; bit k stands for ``names[k]``.

    `occurrences` counts all pairs of each extraction, with repetitions. `sources` counts distinct pairs by the set of the pair and
    the set of its source phrase. `uses` counts pairs that a decoder used; set 0 is no extraction.
    """

    names: tuple[str, ...]
    occurrences: Counter[int] = field(default_factory=Counter)
    sources: Counter[tuple[int, int]] = field(default_factory=Counter)
    uses: Counter[int] = field(default_factory=Counter)

    @property
    def distinct(self) -> Counter[int]:
        """Number of distinct pairs of each set of extractions."""
        total: Counter[int] = Counter()
        for (having, _), count in self.sources.items():
            total[having] += count
        return total

    def size(self, number: int) -> int:
        """Number of distinct pairs of an extraction."""
        return sum(count for having, count in self.distinct.items() if having >> number & 1)

    def overlaps(self) -> list[dict[str, str | int]]:
        """Rows for ordered pairs of extractions: common pairs, pairs of the first alone, and those with a source of the second."""
        rows: list[dict[str, str | int]] = []
        for i, j in permutations(range(len(self.names)), 2):
            common = sum(count for having, count in self.distinct.items() if having >> i & having >> j & 1)
            extension = sum(
                count
                for (having, source), count in self.sources.items()
                if having >> i & 1 and not having >> j & 1 and source >> j & 1
            )
            first, second = self.names[i], self.names[j]
            rows.append(
                {"pairs of": first, "beside": second, "common": common, "unique": self.size(i) - common, "extended": extension}
            )
        return rows

    def regions(self) -> list[dict[str, str | int]]:
        """Rows for exact sets of extractions: distinct pairs, and uses if a trace was read."""
        sets = sorted(range(1, 1 << len(self.names)), key=lambda having: (having.bit_count(), [*self._members(having)]))
        rows = [self._region(having) for having in sets]
        if self.uses:
            rows.append({"in": "none", "distinct": 0, "used": self.uses[0]})
        return rows

    def _region(self, having: int) -> dict[str, str | int]:
        row: dict[str, str | int] = {
            "in": "+".join(self.names[k] for k in self._members(having)),
            "distinct": self.distinct[having],
        }
        return {**row, "used": self.uses[having]} if self.uses else row

    def _members(self, having: int) -> Iterator[int]:
        return (number for number in range(len(self.names)) if having >> number & 1)


def compare_extractions(
    folders: Mapping[str, Path], uses: Mapping[bytes, int] | None = None, memory: int = DEFAULT_MEMORY
) -> Provenance:
    """Compare extractions by pairs of phrases, without links.

    An external sort with `memory` bytes keeps memory constant. `uses` are numbers of uses of pairs ``source ||| target``.
    """
    result = Provenance(tuple(folders))
    files = [ExtractFiles.of(folder) for folder in folders.values()]
    uses = uses or {}
    with TemporaryDirectory() as scratch:
        source, rest = b"", Counter(uses)
        group: list[tuple[bytes, int]] = []
        for pair, number in _sorted_pairs(files, memory, Path(scratch), result):
            start = pair[: pair.index(BARS)]
            if start != source:
                _count(group, result, rest)
                source, group = start, []
            if group and group[-1][0] == pair:
                group[-1] = pair, group[-1][1] | 1 << number
            else:
                group.append((pair, 1 << number))
        _count(group, result, rest)
    if uses:
        result.uses[0] = rest.total()
    return result


def _count(group: Sequence[tuple[bytes, int]], result: Provenance, rest: Counter[bytes]) -> None:
    """Count the pairs of a source phrase."""
    having_source = 0
    for _, having in group:
        having_source |= having
    for pair, having in group:
        result.sources[having, having_source] += 1
        if rest and pair in rest:
            result.uses[having] += rest.pop(pair)


def _sorted_pairs(files: Sequence[ExtractFiles], memory: int, scratch: Path, result: Provenance) -> Iterator[tuple[bytes, int]]:
    """Yield distinct pairs in byte order, with the number of their extraction."""
    for block in sorted_lines(_records(files, result), memory, scratch):
        last = b""
        for line in block.tobytes().split(b"\n")[:-1]:
            if line != last:
                pair, _, number = line.rpartition(b"\t")
                yield pair, int(number)
                last = line


def _records(files: Sequence[ExtractFiles], result: Provenance) -> Iterator[UInt8s]:
    for number, extract in enumerate(files):
        ending = b"\t%d\n" % number
        with ExitStack() as stack:
            lines = read_lines(extract.pairs, stack)
            first = 1
            while part := list(islice(lines, BLOCK)):
                pairs = []
                for place, line in enumerate(part, first):
                    cells = line.split(BARS, 2)
                    if len(cells) < 3:
                        raise line_error(extract.pairs, place, "is no pair of phrases with links")
                    pairs.append(cells[0] + BARS + cells[1] + ending)
                result.occurrences[number] += len(part)
                first += len(part)
                yield np.frombuffer(b"".join(pairs), np.uint8)


def used_pairs(trace: Path, text: Path) -> Counter[bytes]:
    """Numbers of uses of pairs ``source ||| target``, from a trace of `assay smt decode --trace`. InputError names a bad line."""
    uses: Counter[bytes] = Counter()
    sentences = [tokens_of(line) for _, line in numbered_lines(text)]
    with ExitStack() as stack:
        for number, line in enumerate(read_lines(trace, stack), 1):
            try:
                content = json.loads(line)
                words = sentences[content["segment"]]
                for phrase in content["phrases"]:
                    begin, end = phrase["source"]
                    if not 0 <= begin < end <= len(words):
                        raise IndexError
                    uses[BARS.join(" ".join(side).encode() for side in (words[begin:end], phrase["target"]))] += 1
            except (ValueError, KeyError, IndexError, TypeError, RecursionError):
                raise line_error(trace, number, f"is no trace of a line of {text}") from None
    return uses
