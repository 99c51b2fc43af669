"""String catalogues of Apple: ``Localizable.xcstrings``, with all languages in one file.

Source: Apple, "Localizing and varying text with a string catalog"; the JSON that Xcode writes. Strings vary by plural, device and
width; substitutions are variables with variations of their own.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.json_texts import JsonText, json_texts, spelled_json

__all__ = ["StringCatalogue"]

BYTE_ORDER_MARK: Final = "\ufeff"
# A text of variables alone, which are no words.
VARIABLES: Final = re.compile(r"(?:\s|%(?:[0-9]++\$)?#@[^@]*+@)++")
VALUE: Final = ("stringUnit", "value")
STATE: Final = ("stringUnit", "state")


class _Variant(NamedTuple):
    """Key of a string, devices, widths and substitutions, and plural category."""

    key: str
    steps: tuple[str, ...]
    plural: str


class StringCatalogue(StringFormat):
    """Values of all languages beside those of the source language; a key without a source text is its own.

    Strings with `shouldTranslate: false` and those that the program lost (`stale`) are left out. So are texts that Xcode filled
    in (`new`).
    """

    name: ClassVar = "xcstrings"
    title: ClassVar = "Apple string catalogue"
    suffixes: ClassVar = (".xcstrings",)
    has_sources: ClassVar = True

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by key and variation: plurals by their category; devices, widths and substitutions as parts of the key."""
        leaves = json_texts(text, name)
        source_language = next((leaf.value for leaf in leaves if leaf.path == ("sourceLanguage",)), "en")
        lost_keys = _lost_keys(json.loads(text.removeprefix(BYTE_ORDER_MARK), parse_int=str))
        leaves = [leaf for leaf in leaves if _is_localized(leaf) and leaf.path[1] not in lost_keys]
        new_paths = {leaf.path[:-2] for leaf in leaves if leaf.path[-2:] == STATE and leaf.value == "new"}
        values = [leaf for leaf in leaves if leaf.path[-2:] == VALUE and leaf.value and not VARIABLES.fullmatch(leaf.value)]
        sources = {_variant(leaf): leaf.value for leaf in values if leaf.path[3] == source_language}
        translations = (leaf for leaf in values if leaf.path[3] == source_language or leaf.path[:-2] not in new_paths)
        return list(_entries(translations, sources))

    def keys(self, text: str, name: str) -> frozenset[str]:
        """Keys of all strings that the program has."""
        document = json.loads(text.removeprefix(BYTE_ORDER_MARK), parse_int=str)
        strings = document.get("strings") if isinstance(document, dict) else None
        return frozenset(strings if isinstance(strings, dict) else ()) - _lost_keys(document)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of JSON."""
        return spelled_json(new, text, entry.start, entry.end)


def _lost_keys(document: Any) -> frozenset[str]:
    """Keys of strings that must not be translated, or that the program no longer has."""
    strings = document.get("strings") if isinstance(document, dict) else None
    members = strings.items() if isinstance(strings, dict) else ()
    return frozenset(
        key
        for key, member in members
        if isinstance(member, dict) and (member.get("shouldTranslate") is False or member.get("extractionState") == "stale")
    )


def _is_localized(leaf: JsonText) -> bool:
    return len(leaf.path) > 5 and leaf.path[0] == "strings" and leaf.path[2] == "localizations"


def _variant(leaf: JsonText) -> _Variant:
    """The variant of a value, by pairs of a kind and a choice: ``variations.plural.one``, ``substitutions.NAME``."""
    steps, plural = list[str](), ""
    path = list(leaf.path[4:-2])
    while path:
        kind = path.pop(0)
        kind = path.pop(0) if kind == "variations" and path else kind
        choice = path.pop(0) if path else ""
        if kind == "plural" and choice in PLURALS:
            plural = choice
        else:
            steps.append(choice)
    return _Variant(leaf.path[1], tuple(steps), plural)


def _entries(leaves: Iterable[JsonText], sources: Mapping[_Variant, str]) -> Iterator[StringEntry]:
    for leaf in leaves:
        variant = _variant(leaf)
        source = _source(variant, sources)
        key = ".".join((variant.key, *variant.steps))
        if source.strip():
            yield StringEntry(key, leaf.value, leaf.start, leaf.end, variant.plural, source, leaf.path[3])


def _source(variant: _Variant, sources: Mapping[_Variant, str]) -> str:
    """The source of a variant, else the most similar one: the form or the device `other`, the plain text, the key."""
    other_steps = tuple("other" for _ in variant.steps) or ("other",)
    choices = ((steps, plural) for steps in (variant.steps, other_steps, ()) for plural in (variant.plural, "other", ""))
    candidates = (_Variant(variant.key, steps, plural) for steps, plural in choices)
    return next((sources[candidate] for candidate in candidates if candidate in sources), variant.key)
