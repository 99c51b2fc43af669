"""ARB of Flutter.

Source: Application Resource Bundle Specification: keys that begin with @ are metadata, messages are ICU's.
"""

from typing import ClassVar

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.json_texts import json_texts, spelled_json

__all__ = ["Arb"]


class Arb(StringFormat):
    """Messages of the first level."""

    name: ClassVar = "arb"
    title: ClassVar = "ARB (Flutter)"
    suffixes: ClassVar = (".arb",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Messages by their key, without metadata."""
        leaves = [leaf for leaf in json_texts(text, name) if len(leaf.path) == 1 and not leaf.path[0].startswith("@")]
        return [StringEntry(leaf.path[0], leaf.value, leaf.start, leaf.end) for leaf in leaves if leaf.value.strip()]

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of JSON."""
        return spelled_json(new, text, entry.start, entry.end)
