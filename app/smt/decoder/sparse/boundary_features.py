"""Sparse features of two phrases beside each other: the last word of the one and the first of the next, or classes of these.

Moses' ``PhraseBoundaryFeature`` and ``TargetBigramFeature``; with tags for classes those of Haddow, Arun and Koehn (2011), §3.4.
A dummy phrase stands before the first (`BEGIN`) and behind the last (`END`); phrases without words are passed over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["BEGIN", "END", "OTHER_CLASS", "BoundaryFeature", "classes_of", "words_of_list"]

BEGIN: Final = "<s>"
END: Final = "</s>"
# The class of a word that has none.
OTHER_CLASS: Final = "?"


@dataclass(frozen=True)
class BoundaryFeature:
    """A feature ``name_prefix left:right`` for each boundary, of words of the target or of the `source`, as `class_of` has them.

    Where it has None of a word, boundaries of that word do not count.
    """

    name: str
    prefix: str
    source: bool
    class_of: Callable[[str], str | None]

    @property
    def beginning(self) -> str:
        """What all its names begin with."""
        return f"{self.name}_{self.prefix}"

    def sides(self, source: Sequence[str], target: Sequence[str]) -> tuple[str | None, str | None]:
        """The classes of the first and of the last word of a phrase, which has words."""
        words = source if self.source else target
        return self.class_of(words[0]), self.class_of(words[-1])

    def names(self, phrases: Sequence[tuple[Sequence[str], Sequence[str]]], whole: bool = True) -> Iterator[str]:
        """The name of each boundary of phrases, source and target words of each; the end is one where they are `whole`."""
        left: str | None = BEGIN
        for source, target in phrases:
            if target:
                first, last = self.sides(source, target)
                yield from self.name_of(left, first)
                left = last
        if whole:
            yield from self.name_of(left, END)

    def name_of(self, left: str | None, right: str | None) -> Iterator[str]:
        """The name of one boundary, if it counts."""
        if left is not None and right is not None:
            yield f"{self.beginning}{left}:{right}"


def classes_of(classes: Mapping[str, str]) -> Callable[[str], str | None]:
    """Classes of words as a file has them."""
    return lambda word: classes.get(word, OTHER_CLASS)


def words_of_list(words: frozenset[str]) -> Callable[[str], str | None]:
    """Each word itself, if it is one of these."""
    return lambda word: word if word in words else None
