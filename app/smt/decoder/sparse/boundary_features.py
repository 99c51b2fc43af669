"""Sparse features of adjacent phrases: the last word of the first and the first word of the second, or their classes.

Moses' ``PhraseBoundaryFeature`` and ``TargetBigramFeature``; with tags as classes, features of Haddow, Arun and Koehn (2011), §3.4.
A dummy phrase precedes the first (`BEGIN`) and follows the last (`END`); phrases without words are skipped.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["BEGIN", "END", "OTHER_CLASS", "BoundaryFeature", "classes_of", "words_of_list"]

BEGIN: Final = "<s>"
END: Final = "</s>"
# Class of words without a class.
OTHER_CLASS: Final = "?"


@dataclass(frozen=True)
class BoundaryFeature:
    """A feature ``name_prefix left:right`` for each boundary, with classes of target words, or of source words if `source`.

    Boundaries of words whose `class_of` is None do not count.
    """

    name: str
    prefix: str
    source: bool
    class_of: Callable[[str], str | None]

    @property
    def beginning(self) -> str:
        """Begin of all its names."""
        return f"{self.name}_{self.prefix}"

    def sides(self, source: Sequence[str], target: Sequence[str]) -> tuple[str | None, str | None]:
        """Classes of the first and last word of a phrase, which has words."""
        words = source if self.source else target
        return self.class_of(words[0]), self.class_of(words[-1])

    def names(self, phrases: Sequence[tuple[Sequence[str], Sequence[str]]], complete: bool = True) -> Iterator[str]:
        """Yield names of boundaries between phrases (source words, target words); the end counts if the sentence is `complete`."""
        last_class: str | None = BEGIN
        for source, target in phrases:
            if target:
                first_class, new_last_class = self.sides(source, target)
                yield from self.name_of(last_class, first_class)
                last_class = new_last_class
        if complete:
            yield from self.name_of(last_class, END)

    def name_of(self, left: str | None, right: str | None) -> Iterator[str]:
        """Yield the name of one boundary, if it counts."""
        if left is not None and right is not None:
            yield f"{self.beginning}{left}:{right}"


def classes_of(classes: Mapping[str, str]) -> Callable[[str], str | None]:
    """Function from words to their classes in a file."""
    return lambda word: classes.get(word, OTHER_CLASS)


def words_of_list(words: frozenset[str]) -> Callable[[str], str | None]:
    """Function from listed words to themselves, and from others to None."""
    return lambda word: word if word in words else None
