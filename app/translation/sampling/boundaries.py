"""Phrase boundaries as features: tags of the words on both sides of each (Haddow, Arun and Koehn 2011, §3.4)."""

from collections.abc import Iterator, Mapping, Sequence

from app.translation.derivation import Phrase

__all__ = ["BoundaryTags"]

BEGIN, END, OTHER = "<s>", "</s>", "?"


class BoundaryTags:
    """A feature for each pair of tags: how often a phrase ends with a word of the one and the next begins with one of the other.

    A dummy phrase stands before the first and behind the last; inside a phrase nothing counts, and phrases without words are
    passed over. A word without a tag has `?`.
    """

    def __init__(self, tag_of: Mapping[str, str]) -> None:
        """`tag_of` has the tag of each word: a part of speech, or any class."""
        tags = sorted({*tag_of.values(), OTHER} - {BEGIN, END})
        self._tag_of = dict(tag_of)
        self._columns = {
            (left, right): column
            for column, (left, right) in enumerate((left, right) for left in [BEGIN, *tags] for right in [*tags, END])
        }

    @property
    def names(self) -> list[str]:
        """The features' names, ``left:right``."""
        return [f"{left}:{right}" for left, right in self._columns]

    def columns(self, phrases: Sequence[Phrase]) -> Iterator[int]:
        """The column of each boundary."""
        left = BEGIN
        for phrase in phrases:
            if phrase.words:
                yield self._columns[left, self._tag_of.get(phrase.words[0], OTHER)]
                left = self._tag_of.get(phrase.words[-1], OTHER)
        yield self._columns[left, END]
