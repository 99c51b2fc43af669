"""Features of domains: of which parts of the text a pair of phrases is (Koehn and Haddow 2012), as Moses' score has them."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np

from app.arrays import Bools, Float32s, Float64s, Int64s
from app.corpus.phrases.aligned_chunks import read_lines
from app.errors import InputError
from app.text.reading.lines import decode_text

__all__ = ["DOMAIN_FEATURES", "DomainFeature", "Domains"]

DomainFeature = Literal["indicator", "ratio", "subset"]
DOMAIN_FEATURES: Final = get_args(DomainFeature)
# What a table has instead of e where a feature is on; its logarithm is almost 1.
ON: Final = 2.718
# Each is a score on every line; a subset of 6 takes 63.
MOST_DOMAINS: Final = 64
MOST_IN_SUBSETS: Final = 6


@dataclass(frozen=True)
class Domains:
    """Parts of a text by name, and the feature that tells of which of them a pair of phrases is.

    `ranges` are the last sentence pairs of runs of one domain, in ascending order; `ids` say which of `names` each run is of.
    """

    path: Path
    feature: DomainFeature
    names: tuple[str, ...]
    ranges: Int64s
    ids: Int64s

    @classmethod
    def read(cls, path: Path, feature: DomainFeature) -> "Domains":
        """Lines ``number name``, as Moses' domain files have: the last sentence pair of a run, counted from 1, and its domain.

        InputError (`invalid-table`) names a line that is something else, or whose number is not above the one before.
        """
        numbers: dict[str, int] = {}
        ranges, ids = [0], []
        with ExitStack() as stack:
            for line, raw in enumerate(read_lines(path, stack), 1):
                words = decode_text(raw, str(path), line).split()
                if len(words) != 2 or not (words[0].isascii() and words[0].isdigit()) or not ranges[-1] < int(words[0]) < 1 << 53:
                    detail = f"line {line} of {path} is not the last sentence pair of a domain, above that before, and its name"
                    raise InputError("invalid-table", detail, (str(path), line))
                ranges.append(int(words[0]))
                ids.append(numbers.setdefault(words[1], len(numbers)))
                if len(numbers) > (MOST_IN_SUBSETS if feature == "subset" else MOST_DOMAINS):
                    detail = f"{path} has more domains than there is room for: {MOST_DOMAINS}, and {MOST_IN_SUBSETS} for subsets"
                    raise InputError("invalid-table", detail, (str(path), line))
        if not ids:
            raise InputError("empty-input", f"{path} names no domain", (str(path),))
        return cls(path, feature, tuple(numbers), np.array(ranges[1:]), np.array(ids))

    @property
    def sentences(self) -> int:
        """How many sentence pairs have a domain."""
        return int(self.ranges[-1])

    def counts(self, pairs: Int64s, sentences: Int64s, weights: Float64s) -> Float32s:
        """Weights of pairs of phrases by domain, shape (pairs, domains): of records of pairs (numbers from 0) in sentence pairs
        (from 1). InputError for a sentence pair that is in no domain.
        """
        if len(sentences) and sentences.max() > self.sentences:
            detail = f"{self.path} has domains of {self.sentences} sentence pairs, but there are phrases of the {sentences.max()}th"
            raise InputError("unequal-lengths", detail, (f"--domain-{self.feature}",))
        domains = self.ids[np.searchsorted(self.ranges, sentences)]
        size = int(pairs.max()) + 1 if len(pairs) else 0
        width = len(self.names)
        return np.bincount(pairs * width + domains, weights, size * width).reshape(size, width).astype(np.float32)

    def scores(self, counts: Float32s, joint: Float64s) -> Float64s:
        """Scores of pairs of phrases by their weights in domains and in all; 1 where a feature is off.

        `indicator`: 2.718 for each domain that the pair is of. `ratio`: for each, exp of its share of the pair's weight. `subset`:
        2.718 for the one set of domains that are all that the pair is of; sets are in the order of the binary numbers that have
        the first domain as their last digit.
        """
        there: Bools = counts > 0
        if self.feature == "ratio":
            shares: Float64s = np.exp(counts / joint.astype(np.float32)[:, None]).astype(np.float64)
            return shares
        if self.feature == "indicator":
            return np.where(there, ON, 1.0)
        subset = there @ (1 << np.arange(len(self.names)))
        return np.where(subset[:, None] == np.arange(1, 1 << len(self.names)), ON, 1.0)
