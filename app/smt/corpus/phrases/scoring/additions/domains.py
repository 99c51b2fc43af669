"""Domains of a text, and weights of phrase pairs by domain (Koehn and Haddow 2012), from domain files of Moses."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, Int64s
from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.text.reading.numbers import whole_number

__all__ = ["DomainCounts", "Domains"]


@dataclass(frozen=True)
class DomainCounts:
    """Weights of phrase pairs by domain: pair p has `ids` and `weights` from ``offsets[p]`` to ``offsets[p + 1]``.

    Ids follow the order of the file of domains.
    """

    offsets: Int64s
    ids: Int32s
    weights: Float32s

    @property
    def pairs(self) -> Int64s:
        """Phrase pair of each weight; shape (entries,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True)
class Domains:
    """Named parts of a text: `ranges` are the last sentence pairs of runs, ascending; `ids` are indices of their `names`."""

    path: Path
    names: tuple[str, ...]
    ranges: Int64s
    ids: Int64s

    @classmethod
    def read(cls, path: Path) -> "Domains":
        """Read lines ``number name`` of a domain file of Moses: last sentence pair of a run, from 1, and its domain.

        A run without pairs repeats the number before. InputError (`invalid-table`) names a line that is malformed or descends.
        """
        numbers: dict[str, int] = {}
        ranges, ids = [0], []
        for line, text in numbered_lines(path):
            words = text.split()
            last = whole_number(words[0]) if len(words) == 2 else None
            if last is None or not ranges[-1] <= last < 1 << 53:
                raise line_error(path, line, "is not an ascending number of a sentence pair and the name of a domain")
            if "|||" in words[1]:
                raise line_error(path, line, "names a domain with |||, the divider of columns; rename it")
            number = numbers.setdefault(words[1], len(numbers))
            # A filter leaves some runs without pairs.
            if last > ranges[-1]:
                ranges.append(last)
                ids.append(number)
        if not ids:
            raise InputError("empty-input", f"{path} names no domain", (str(path),))
        return cls(path, tuple(numbers), np.array(ranges[1:]), np.array(ids))

    @property
    def sentences(self) -> int:
        """Number of sentence pairs with a domain."""
        return int(self.ranges[-1])

    def counts(self, pairs: Int64s, sentences: Int64s, weights: Float64s) -> DomainCounts:
        """Weights by domain of records, from indices of their phrase pairs (from 0, without gaps) and sentence pairs (from 1).

        InputError for a sentence pair without a domain.
        """
        if len(sentences) and sentences.max() > self.sentences:
            detail = f"{self.path} has domains of {self.sentences} sentence pairs, but phrases come from pair {sentences.max()}"
            raise InputError("unequal-lengths", detail, (str(self.path),))
        size = int(pairs.max()) + 1 if len(pairs) else 0
        width = len(self.names)
        keys, cells = np.unique(pairs * width + self.ids[np.searchsorted(self.ranges, sentences)], return_inverse=True)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(keys // width, minlength=size))])
        return DomainCounts(offsets, (keys % width).astype(np.int32), np.bincount(cells, weights, len(keys)).astype(np.float32))
