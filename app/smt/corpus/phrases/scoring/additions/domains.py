"""Domains of a text, and how much of each pair of phrases is of each (Koehn and Haddow 2012), by Moses' files of domains."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, Int64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.text.reading.lines import decode_text
from app.text.reading.whole_numbers import whole_number

__all__ = ["DomainCounts", "Domains"]


@dataclass(frozen=True)
class DomainCounts:
    """Weights of pairs of phrases by domain, of those that they are of: pair p has `ids` and `weights` from ``offsets[p]`` to
    ``offsets[p + 1]``, in the order in which domains were named.
    """

    offsets: Int64s
    ids: Int32s
    weights: Float32s

    @property
    def pairs(self) -> Int64s:
        """The pair of each weight."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True)
class Domains:
    """Parts of a text by name: `ranges` are the last sentence pairs of runs of one domain, in ascending order, and `ids` say which
    of `names` each run is of.
    """

    path: Path
    names: tuple[str, ...]
    ranges: Int64s
    ids: Int64s

    @classmethod
    def read(cls, path: Path) -> "Domains":
        """Lines ``number name``, as Moses' domain files have: the last sentence pair of a run, counted from 1, and its domain.

        InputError (`invalid-table`) names a line that is something else, or whose number is not above the one before.
        """
        numbers: dict[str, int] = {}
        ranges, ids = [0], []
        with ExitStack() as stack:
            for line, raw in enumerate(read_lines(path, stack), 1):
                words = decode_text(raw, str(path), line).split()
                last = whole_number(words[0]) if len(words) == 2 else None
                if last is None or not ranges[-1] < last < 1 << 53:
                    detail = f"line {line} of {path} is not the last sentence pair of a domain, above that before, and its name"
                    raise InputError("invalid-table", detail, (str(path), line))
                if "|||" in words[1]:
                    detail = f"line {line} of {path} names a domain with |||, which stands between columns of tables"
                    raise InputError("invalid-table", detail, (str(path), line))
                ranges.append(last)
                ids.append(numbers.setdefault(words[1], len(numbers)))
        if not ids:
            raise InputError("empty-input", f"{path} names no domain", (str(path),))
        return cls(path, tuple(numbers), np.array(ranges[1:]), np.array(ids))

    @property
    def sentences(self) -> int:
        """How many sentence pairs have a domain."""
        return int(self.ranges[-1])

    def counts(self, pairs: Int64s, sentences: Int64s, weights: Float64s) -> DomainCounts:
        """The weights by domain of records of pairs (numbers from 0, none left out) in sentence pairs (from 1).

        InputError for a sentence pair that is in no domain.
        """
        if len(sentences) and sentences.max() > self.sentences:
            detail = f"{self.path} has domains of {self.sentences} sentence pairs, but there are phrases of the {sentences.max()}th"
            raise InputError("unequal-lengths", detail, (str(self.path),))
        size = int(pairs.max()) + 1 if len(pairs) else 0
        width = len(self.names)
        keys, cells = np.unique(pairs * width + self.ids[np.searchsorted(self.ranges, sentences)], return_inverse=True)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(keys // width, minlength=size))])
        return DomainCounts(offsets, (keys % width).astype(np.int32), np.bincount(cells, weights, len(keys)).astype(np.float32))
