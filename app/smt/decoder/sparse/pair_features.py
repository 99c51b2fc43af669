"""Sparse features of a phrase pair alone: Moses' names of what words and links of it are.

Each says them of one pair in plain words (`names`), and of many pairs at once (`entries`), which comes to the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import numpy as np

from app.arrays import Int64s
from app.smt.decoder.sparse.names import Origin

__all__ = [
    "Entries",
    "InnerBigrams",
    "PairFeature",
    "Pairs",
    "PhraseLengths",
    "PhrasePairs",
    "Unlinked",
    "WordTranslations",
]

Links = Sequence[tuple[int, int]]
OTHER: Final = "OTHER"
# Words that Moses never counts as left out or put in.
MARKS: Final = frozenset({"<s>", "</s>"})


class Pairs(NamedTuple):
    """Phrase pairs as arrays: of each side the words, as places in `spelled`, ragged by offsets; links as row and two places."""

    spelled: tuple[list[str], list[str]]
    words: tuple[Int64s, Int64s]
    offsets: tuple[Int64s, Int64s]
    link_rows: Int64s
    links: tuple[Int64s, Int64s]


class Entries(NamedTuple):
    """A feature for each of `rows`, under the name of its key."""

    rows: Int64s
    keys: Int64s
    name_of: Callable[[int], str]


class PairFeature(Protocol):
    """One line of a configuration: `name` stands before an underscore and each feature's own name."""

    @property
    def name(self) -> str:
        """What the configuration calls it."""
        ...

    @property
    def origin(self) -> Origin:
        """Whether tables' limits look at it."""
        ...

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair's features, one as often as it counts."""
        ...

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """The same of many pairs."""
        ...


@dataclass(frozen=True)
class PhraseLengths:
    """``s2``, ``t3`` and ``2,3``: words of the source, of the target, and both."""

    name: str
    origin: Origin = Origin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair."""
        yield from (f"s{len(source)}", f"t{len(target)}", f"{len(source)},{len(target)}")

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """Those of many pairs."""
        left, right = (np.diff(offsets) for offsets in pairs.offsets)
        rows, base = np.arange(len(left)), int(right.max(initial=0)) + 1
        yield Entries(rows, left, lambda key: f"s{key}")
        yield Entries(rows, right, lambda key: f"t{key}")
        yield Entries(rows, left * base + right, lambda key: f"{key // base},{key % base}")


@dataclass(frozen=True)
class Unlinked:
    """Each word of one side (0 the source, 1 the target) that is linked to none; one that is not among `words`, if any, is OTHER.

    A pair of two words without links says nothing, which is Moses' rule.
    """

    name: str
    side: int
    words: frozenset[str] | None = None
    origin: Origin = Origin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair."""
        if len(source) == len(target) == 1 and not links:
            return
        linked = {link[self.side] for link in links}
        for place, word in enumerate((source, target)[self.side]):
            if place not in linked and word not in MARKS:
                yield _listed(word, self.words)

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """Those of many pairs."""
        offsets, words, spelled = pairs.offsets[self.side], pairs.words[self.side], pairs.spelled[self.side]
        free = np.ones(len(words), bool)
        free[offsets[pairs.link_rows] + pairs.links[self.side]] = False
        lengths = [np.diff(offsets) for offsets in pairs.offsets]
        silent = (lengths[0] == 1) & (lengths[1] == 1) & (np.bincount(pairs.link_rows, minlength=len(lengths[0])) == 0)
        rows = np.repeat(np.arange(len(silent)), lengths[self.side])
        free &= ~silent[rows] & ~np.array([word in MARKS for word in spelled], bool)[words]
        keys = _listed_numbers(spelled, self.words)[words]
        yield Entries(rows[free], keys[free], lambda key: OTHER if key < 0 else spelled[key])


@dataclass(frozen=True)
class WordTranslations:
    """``haus~house`` for each link; words that are not among those of `sources` and `targets`, if any, are OTHER."""

    name: str
    sources: frozenset[str] | None = None
    targets: frozenset[str] | None = None
    origin: Origin = Origin.LATER

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair."""
        for left, right in set(links):
            yield f"{_listed(source[left], self.sources)}~{_listed(target[right], self.targets)}"

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """Those of many pairs."""
        places = [offsets[pairs.link_rows] + links for offsets, links in zip(pairs.offsets, pairs.links, strict=True)]
        distinct = np.unique(np.stack([pairs.link_rows, *places], axis=1), axis=0)
        numbers = [
            _listed_numbers(spelled, listed)[words[distinct[:, side + 1]]]
            for side, (spelled, words, listed) in enumerate(
                zip(pairs.spelled, pairs.words, (self.sources, self.targets), strict=True)
            )
        ]
        sources, targets = ([*spelled, OTHER] for spelled in pairs.spelled)
        base = len(targets)
        # Of the last place is what is at -1.
        keys = (numbers[0] % len(sources)) * base + numbers[1] % base
        yield Entries(distinct[:, 0], keys, lambda key: f"{sources[key // base]}~{targets[key % base]}")


@dataclass(frozen=True)
class PhrasePairs:
    """``das~haus~~the~house``: the pair itself; a tilde of its words is written ``<TILDE>``. Phrases without words have none."""

    name: str
    origin: Origin = Origin.PAIR

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair."""
        if target:
            yield "~~".join("~".join(word.replace("~", "<TILDE>") for word in side) for side in (source, target))

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """Those of many pairs."""
        sides = [
            [[spelled[word] for word in words[begin:end].tolist()] for begin, end in pairwise(offsets.tolist())]
            for spelled, words, offsets in zip(pairs.spelled, pairs.words, pairs.offsets, strict=True)
        ]
        names = [next(self.names(source, target, ()), "") for source, target in zip(*sides, strict=True)]
        there = np.array([row for row, name in enumerate(names) if name], np.int64)
        yield Entries(there, there, lambda key: names[key])


@dataclass(frozen=True)
class InnerBigrams:
    """``the:house`` for words beside each other inside a target phrase, as `class_of` has them; None is none that counts."""

    name: str
    class_of: Callable[[str], str | None]
    origin: Origin = Origin.LATER

    def names(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[str]:
        """The names of a pair."""
        for left, right in pairwise(target):
            classes = self.class_of(left), self.class_of(right)
            if None not in classes:
                yield f"{classes[0]}:{classes[1]}"

    def entries(self, pairs: Pairs) -> Iterator[Entries]:
        """Those of many pairs."""
        classes = [self.class_of(word) for word in pairs.spelled[1]]
        words, base = pairs.words[1], len(classes) + 1
        rows = np.repeat(np.arange(len(pairs.offsets[1]) - 1), np.diff(pairs.offsets[1]))
        counted = np.array([name is not None for name in classes], bool)[words]
        there = np.flatnonzero((rows[:-1] == rows[1:]) & counted[:-1] & counted[1:])
        keys = words[there] * base + words[there + 1]
        yield Entries(rows[there], keys, lambda key: f"{classes[key // base]}:{classes[key % base]}")


def _listed(word: str, words: frozenset[str] | None) -> str:
    return word if words is None or word in words else OTHER


def _listed_numbers(spelled: Sequence[str], words: frozenset[str] | None) -> Int64s:
    """The place of each word, -1 for those that are not listed."""
    return np.array([place if words is None or word in words else -1 for place, word in enumerate(spelled)], np.int64)
