"""Sparse features of a phrase pair alone, under Moses' names.

Each class computes features of one pair in plain Python (`names`), and equal features of many pairs at once (`entries`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import numpy as np

from app.arrays import Int64s
from app.smt.decoder.sparse.names import FeatureOrigin

__all__ = [
    "FeatureEntries",
    "InnerBigrams",
    "PairFeature",
    "PhraseLengths",
    "PhrasePairArrays",
    "PhrasePairs",
    "UnlinkedWords",
    "WordTranslations",
]

Links = Sequence[tuple[int, int]]
OTHER_NAME: Final = "OTHER"
# Words that Moses never counts as deleted or inserted.
SENTENCE_MARKS: Final = frozenset({"<s>", "</s>"})


class PhrasePairArrays(NamedTuple):
    """Phrase pairs as arrays, by side: `words` index `vocabularies` and are ragged by `offsets`.

    Link l is in row ``link_rows[l]``, between the places ``links[0][l]`` and ``links[1][l]``.
    """

    vocabularies: tuple[list[str], list[str]]
    words: tuple[Int64s, Int64s]
    offsets: tuple[Int64s, Int64s]
    link_rows: Int64s
    links: tuple[Int64s, Int64s]


class FeatureEntries(NamedTuple):
    """One feature for each of `rows`, named by its key."""

    rows: Int64s
    keys: Int64s
    name_of: Callable[[int], str]


class PairFeature(Protocol):
    """A line of a configuration: names of its features begin with `name` and an underscore."""

    @property
    def name(self) -> str:
        """Name in the configuration."""
        ...

    @property
    def origin(self) -> FeatureOrigin:
        """Origin, which determines if tables' limits count the feature."""
        ...

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features, each as often as it counts."""
        ...

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        ...


@dataclass(frozen=True)
class PhraseLengths:
    """``s2``, ``t3`` and ``2,3``: words of the source, of the target, and both."""

    name: str
    origin: FeatureOrigin = FeatureOrigin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features."""
        yield from (f"s{len(source)}", f"t{len(target)}", f"{len(source)},{len(target)}")

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        left, right = (np.diff(offsets) for offsets in pairs.offsets)
        rows, base = np.arange(len(left)), int(right.max(initial=0)) + 1
        yield FeatureEntries(rows, left, lambda key: f"s{key}")
        yield FeatureEntries(rows, right, lambda key: f"t{key}")
        yield FeatureEntries(rows, left * base + right, lambda key: f"{key // base},{key % base}")


@dataclass(frozen=True)
class UnlinkedWords:
    """Words of one side (0 source, 1 target) without links; if `words` is given, words outside it are called OTHER.

    A pair of two single words without links has no feature, which is Moses' rule.
    """

    name: str
    side: int
    words: frozenset[str] | None = None
    origin: FeatureOrigin = FeatureOrigin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features."""
        if len(source) == len(target) == 1 and not links:
            return
        linked_places = {link[self.side] for link in links}
        for place, word in enumerate((source, target)[self.side]):
            if place not in linked_places and word not in SENTENCE_MARKS:
                yield _name_of(word, self.words)

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        offsets, word_indices, vocabularies = pairs.offsets[self.side], pairs.words[self.side], pairs.vocabularies[self.side]
        mask = np.ones(len(word_indices), bool)
        mask[offsets[pairs.link_rows] + pairs.links[self.side]] = False
        lengths = [np.diff(offsets) for offsets in pairs.offsets]
        exempt = (lengths[0] == 1) & (lengths[1] == 1) & (np.bincount(pairs.link_rows, minlength=len(lengths[0])) == 0)
        rows = np.repeat(np.arange(len(exempt)), lengths[self.side])
        mask &= ~exempt[rows] & ~np.array([word in SENTENCE_MARKS for word in vocabularies], bool)[word_indices]
        keys = _list_numbers(vocabularies, self.words)[word_indices]
        yield FeatureEntries(rows[mask], keys[mask], lambda key: OTHER_NAME if key < 0 else vocabularies[key])


@dataclass(frozen=True)
class WordTranslations:
    """``haus~house`` for each link; words outside `sources` and `targets`, if given, are called OTHER."""

    name: str
    sources: frozenset[str] | None = None
    targets: frozenset[str] | None = None
    origin: FeatureOrigin = FeatureOrigin.LATER

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features."""
        for left, right in set(links):
            yield f"{_name_of(source[left], self.sources)}~{_name_of(target[right], self.targets)}"

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        places = [offsets[pairs.link_rows] + links for offsets, links in zip(pairs.offsets, pairs.links, strict=True)]
        distinct = np.unique(np.stack([pairs.link_rows, *places], axis=1), axis=0)
        numbers = [
            _list_numbers(vocabularies, words_of_side)[words[distinct[:, side + 1]]]
            for side, (vocabularies, words, words_of_side) in enumerate(
                zip(pairs.vocabularies, pairs.words, (self.sources, self.targets), strict=True)
            )
        ]
        sources, targets = ([*vocabularies, OTHER_NAME] for vocabularies in pairs.vocabularies)
        base = len(targets)
        # Index -1 stands for the last entry, OTHER.
        keys = (numbers[0] % len(sources)) * base + numbers[1] % base
        yield FeatureEntries(distinct[:, 0], keys, lambda key: f"{sources[key // base]}~{targets[key % base]}")


@dataclass(frozen=True)
class PhrasePairs:
    """``das~haus~~the~house``: the pair itself, with tildes of words written ``<TILDE>``; empty target phrases have none."""

    name: str
    origin: FeatureOrigin = FeatureOrigin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features."""
        if target:
            yield "~~".join("~".join(word.replace("~", "<TILDE>") for word in side) for side in (source, target))

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        sides = [
            [[vocabularies[word] for word in words[begin:end].tolist()] for begin, end in pairwise(offsets.tolist())]
            for vocabularies, words, offsets in zip(pairs.vocabularies, pairs.words, pairs.offsets, strict=True)
        ]
        names = [next(self.names(source, target, ()), "") for source, target in zip(*sides, strict=True)]
        rows = np.array([row for row, name in enumerate(names) if name], np.int64)
        yield FeatureEntries(rows, rows, lambda key: names[key])


@dataclass(frozen=True)
class InnerBigrams:
    """``the:house`` for adjacent words of a target phrase, as classes of `class_of`; words of class None do not count."""

    name: str
    class_of: Callable[[str], str | None]
    origin: FeatureOrigin = FeatureOrigin.LATER

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """Yield names of a pair's features."""
        for left, right in pairwise(target):
            classes = self.class_of(left), self.class_of(right)
            if None not in classes:
                yield f"{classes[0]}:{classes[1]}"

    def entries(self, pairs: PhrasePairArrays) -> Iterator[FeatureEntries]:
        """Yield features of many pairs."""
        classes = [self.class_of(word) for word in pairs.vocabularies[1]]
        words, base = pairs.words[1], len(classes) + 1
        rows = np.repeat(np.arange(len(pairs.offsets[1]) - 1), np.diff(pairs.offsets[1]))
        mask = np.array([name is not None for name in classes], bool)[words]
        bigrams = np.flatnonzero((rows[:-1] == rows[1:]) & mask[:-1] & mask[1:])
        keys = words[bigrams] * base + words[bigrams + 1]
        yield FeatureEntries(rows[bigrams], keys, lambda key: f"{classes[key // base]}:{classes[key % base]}")


def _name_of(word: str, words: frozenset[str] | None) -> str:
    return word if words is None or word in words else OTHER_NAME


def _list_numbers(vocabularies: Sequence[str], words: frozenset[str] | None) -> Int64s:
    """Index of each word, -1 for words outside the list."""
    return np.array([index if words is None or word in words else -1 for index, word in enumerate(vocabularies)], np.int64)
