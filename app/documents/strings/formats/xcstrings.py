"""String catalogues of Apple: ``Localizable.xcstrings``, with all languages in one file.

Source: Apple, "Localizing and varying text with a string catalog"; the JSON that Xcode 15 writes.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.json_texts import JsonText, json_texts, spelled_json

__all__ = ["StringCatalogue"]

VALUE: Final = ("stringUnit", "value")
Source = tuple[str, str]


class StringCatalogue(StringFormat):
    """Values of all languages beside those of the source language; a key without a source text is its own."""

    name: ClassVar = "xcstrings"
    title: ClassVar = "Apple string catalogue"
    suffixes: ClassVar = (".xcstrings",)
    has_sources: ClassVar = True

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by key and variation: plurals by their category, devices as a part of the key."""
        leaves = json_texts(text, name)
        source_language = next((leaf.value for leaf in leaves if leaf.path == ("sourceLanguage",)), "en")
        values = [leaf for leaf in leaves if leaf.path[:1] == ("strings",) and leaf.path[2:3] == ("localizations",)]
        values = [leaf for leaf in values if leaf.path[-2:] == VALUE and leaf.value.strip()]
        sources = {_variation(leaf): leaf.value for leaf in values if leaf.path[3] == source_language}
        return [_entry(leaf, sources) for leaf in values]

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of JSON."""
        return spelled_json(new, text, entry.start, entry.end)


def _variation(leaf: JsonText) -> Source:
    """Key with device or substitution, and plural category."""
    steps = [step for step in leaf.path[4:-2] if step not in {"variations", "plural", "device", "substitutions"}]
    plural = steps.pop() if steps and steps[-1] in PLURALS and "plural" in leaf.path else ""
    return ".".join([leaf.path[1], *steps]), plural


def _entry(leaf: JsonText, sources: Mapping[Source, str]) -> StringEntry:
    key, plural = _variation(leaf)
    source = sources.get((key, plural), sources.get((key, "other"), leaf.path[1]))
    return StringEntry(key, leaf.value, leaf.start, leaf.end, plural, source, leaf.path[3])
