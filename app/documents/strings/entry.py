"""Texts of a string file, and its formats."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

__all__ = ["PLURALS", "StringEntry", "StringFormat"]

# Plural categories of CLDR.
PLURALS: Final = ("zero", "one", "two", "few", "many", "other")


@dataclass(frozen=True, slots=True)
class StringEntry:
    """A text of a string file.

    - `key` names the text; plural forms share a key and differ by `plural`, a category of CLDR or a selector such as `=0`.
    - `text` is the text that a program shows, without escapes of the file.
    - `[start, end)` are the characters of the file that spell the text.
    - `source` is the source text in files of two languages, `language` the language of the text in files of several.
    """

    key: str
    text: str
    start: int
    end: int
    plural: str = ""
    source: str | None = None
    language: str | None = None


class StringFormat(ABC):
    """A format of files with texts by keys, known by the suffix of their names."""

    name: ClassVar[str]
    title: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    # Files of this format have sources beside their translations.
    has_sources: ClassVar[bool] = False
    # Keys are numbers of places, which change with the texts before them.
    keys_are_places: ClassVar[bool] = False

    def recognises(self, head: str) -> bool:
        """Return True if a file may be of this format by its first characters; other formats may share its suffix."""
        return True

    @abstractmethod
    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Texts of a file in its order, blank ones and those of other types left out. O(length).

        InputError (`invalid-document`) names line and column of an error in the file `name`.
        """

    def keys(self, text: str, name: str) -> frozenset[str]:
        """Keys of a file, those without a translation too. O(length)."""
        return frozenset(entry.key for entry in self.entries(text, name))

    @abstractmethod
    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The characters for a new text in the place of `entry` in the file `text`, with the escapes of that place."""
