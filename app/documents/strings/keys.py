"""Keys of string files: each names one text."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from app.documents.strings.entry import StringEntry
from app.text.reading.encodings import refuse

__all__ = ["bounded", "unique"]

LONGEST: Final = 300


def bounded(key: str) -> str:
    """A key that a file repeats for each part of a text: a long one is cut, and a checksum keeps it apart from others."""
    if len(key) <= LONGEST:
        return key
    return f"{key[:LONGEST]}… {blake2b(key.encode(errors='replace'), digest_size=8).hexdigest()}"


def unique(entries: Sequence[StringEntry], text: str, name: str) -> list[StringEntry]:
    """The entries; InputError (`invalid-document`) with the place of a key that occurs twice: programs show one of its texts."""
    keys: set[tuple[str, str, str | None]] = set()
    for entry in entries:
        key = (entry.key, entry.plural, entry.language)
        if key in keys:
            raise refuse("invalid-document", name, "the key of this text occurs twice", text, entry.start)
        keys.add(key)
    return list(entries)
