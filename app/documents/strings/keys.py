"""Keys of string files: each names one text, and all together are bounded."""

from collections.abc import Iterable, Sequence
from typing import Final

from app.documents.strings.entry import StringEntry
from app.text.reading.encodings import refuse

__all__ = ["KeyBudget", "unique"]

# Characters of all keys: a long key above many texts would swell with the square of the file.
KEYS_BASE: Final = 1_000_000
KEYS_PER_CHARACTER: Final = 10


class KeyBudget:
    """A bound on the total length of the keys of one file, linear in its length."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._room = KEYS_BASE + KEYS_PER_CHARACTER * len(text)

    def path(self, steps: Iterable[str], start: int) -> tuple[str, ...]:
        """The steps of a key as they are; InputError (`document-too-large`) with the place `start` for keys beyond the bound."""
        path = tuple(steps)
        self._room -= sum(map(len, path)) + len(path)
        if self._room < 0:
            limit = f"{KEYS_BASE} characters and {KEYS_PER_CHARACTER} times its length"
            detail = f"the keys of all texts, with those above them, may have {limit}; shorten keys with many texts below"
            raise refuse("document-too-large", self._name, detail, self._text, start)
        return path


def unique(entries: Sequence[StringEntry], text: str, name: str) -> list[StringEntry]:
    """The entries; InputError (`invalid-document`) with the place of a key that occurs twice: programs show one of its texts."""
    keys: set[tuple[str, str, str | None]] = set()
    for entry in entries:
        key = (entry.key, entry.plural, entry.language)
        if key in keys:
            raise refuse("invalid-document", name, "the key of this text occurs twice", text, entry.start)
        keys.add(key)
    return list(entries)
