"""Which extraction has which pairs: what they share, what one adds to another, and whose pairs a decoder used."""

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
from app.errors import InputError
from app.smt.corpus.external_sort import DEFAULT_MEMORY, sorted_lines
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.text.reading.lines import decode_text
from app.text.tokenisation import tokens_of

__all__ = ["Provenance", "compare_extractions", "used_pairs"]

BARS: Final = b" ||| "
BLOCK: Final = 1 << 16


@dataclass
class Provenance:
    """Counts by the set of extractions that have a pair, bit k for the kth of `names`.

    `extracted` are pairs with their repetitions; `distinct` by the set that has the pair, `sources` by that and by the set that has
    its source phrase; `used` are pairs that a decoder used, by the set that has them, 0 for none.
    """

    names: tuple[str, ...]
    extracted: Counter[int] = field(default_factory=Counter)
    sources: Counter[tuple[int, int]] = field(default_factory=Counter)
    used: Counter[int] = field(default_factory=Counter)

    @property
    def distinct(self) -> Counter[int]:
        """Distinct pairs by the set of extractions that have them."""
        total: Counter[int] = Counter()
        for (having, _), count in self.sources.items():
            total[having] += count
        return total

    def size(self, number: int) -> int:
        """Distinct pairs of an extraction."""
        return sum(count for having, count in self.distinct.items() if having >> number & 1)

    def overlaps(self) -> list[dict[str, str | int]]:
        """Of each two extractions: pairs of both, pairs of the first alone, and those of these whose source the second has too."""
        rows: list[dict[str, str | int]] = []
        for one, other in permutations(range(len(self.names)), 2):
            common = sum(count for having, count in self.distinct.items() if having >> one & having >> other & 1)
            extended = sum(
                count
                for (having, source), count in self.sources.items()
                if having >> one & 1 and not having >> other & 1 and source >> other & 1
            )
            first, second = self.names[one], self.names[other]
            rows.append(
                {"pairs of": first, "beside": second, "common": common, "unique": self.size(one) - common, "extended": extended}
            )
        return rows

    def regions(self) -> list[dict[str, str | int]]:
        """Distinct pairs, and used ones where a trace was read, of every set of extractions that are all that have them."""
        sets = sorted(range(1, 1 << len(self.names)), key=lambda having: (having.bit_count(), [*self._members(having)]))
        rows = [self._region(having) for having in sets]
        if self.used:
            rows.append({"in": "none", "distinct": 0, "used": self.used[0]})
        return rows

    def _region(self, having: int) -> dict[str, str | int]:
        row: dict[str, str | int] = {
            "in": "+".join(self.names[k] for k in self._members(having)),
            "distinct": self.distinct[having],
        }
        return {**row, "used": self.used[having]} if self.used else row

    def _members(self, having: int) -> Iterator[int]:
        return (number for number in range(len(self.names)) if having >> number & 1)


def compare_extractions(
    folders: Mapping[str, Path], used: Mapping[bytes, int] | None = None, memory: int = DEFAULT_MEMORY
) -> Provenance:
    """Compare what extractions wrote; pairs are the same where both phrases are, whatever their links.

    Sorted in `memory` bytes and in files for the time, so that memory does not grow with the extractions. `used` are numbers of
    uses of pairs ``source ||| target``.
    """
    result = Provenance(tuple(folders))
    files = [ExtractFiles.of(folder) for folder in folders.values()]
    used = used or {}
    with TemporaryDirectory() as scratch:
        source, rest = b"", Counter(used)
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
    if used:
        result.used[0] = rest.total()
    return result


def _count(group: Sequence[tuple[bytes, int]], result: Provenance, rest: Counter[bytes]) -> None:
    """Count the pairs of a source phrase."""
    having_source = 0
    for _, having in group:
        having_source |= having
    for pair, having in group:
        result.sources[having, having_source] += 1
        if rest and pair in rest:
            result.used[having] += rest.pop(pair)


def _sorted_pairs(files: Sequence[ExtractFiles], memory: int, scratch: Path, result: Provenance) -> Iterator[tuple[bytes, int]]:
    """Pairs in the order of their bytes, with the number of their extraction."""
    for block in sorted_lines(_records(files, result), memory, scratch):
        last = b""
        for line in block.tobytes().split(b"\n")[:-1]:
            if line != last:
                pair, _, number = line.rpartition(b"\t")
                yield pair, int(number)
                last = line


def _records(files: Sequence[ExtractFiles], result: Provenance) -> Iterator[UInt8s]:
    for number, extracted in enumerate(files):
        ending = b"\t%d\n" % number
        with ExitStack() as stack:
            lines = read_lines(extracted.pairs, stack)
            first = 1
            while part := list(islice(lines, BLOCK)):
                pairs = []
                for place, line in enumerate(part, first):
                    cells = line.split(BARS, 2)
                    if len(cells) < 3:
                        detail = f"line {place} of {extracted.pairs} is no pair of phrases with links"
                        raise InputError("invalid-table", detail, (str(extracted.pairs), place))
                    pairs.append(cells[0] + BARS + cells[1] + ending)
                result.extracted[number] += len(part)
                first += len(part)
                yield np.frombuffer(b"".join(pairs), np.uint8)


def used_pairs(trace: Path, text: Path) -> Counter[bytes]:
    """How often each pair ``source ||| target`` was used, by what `assay smt decode --trace` wrote of a text.

    InputError names a line that is no trace.
    """
    used: Counter[bytes] = Counter()
    with ExitStack() as stack:
        sentences = [tokens_of(decode_text(line, str(text), number)) for number, line in enumerate(read_lines(text, stack), 1)]
        for number, line in enumerate(read_lines(trace, stack), 1):
            try:
                content = json.loads(line)
                words = sentences[content["segment"]]
                for phrase in content["phrases"]:
                    begin, end = phrase["source"]
                    if not 0 <= begin < end <= len(words):
                        raise IndexError
                    used[BARS.join(" ".join(side).encode() for side in (words[begin:end], phrase["target"]))] += 1
            except (ValueError, KeyError, IndexError, TypeError, RecursionError):
                detail = f"line {number} of {trace} is no trace of a line of {text}"
                raise InputError("invalid-table", detail, (str(trace), number)) from None
    return used
