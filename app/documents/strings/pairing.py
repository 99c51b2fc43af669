"""Texts of two string files, source and translation, in pairs by their keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.documents.strings.entry import StringEntry
from app.documents.strings.sections import aligned_blocks

__all__ = ["PairedStrings", "paired_strings"]

# Signs of placeholders.
SIGNS: Final = "%{"


@dataclass(frozen=True)
class PairedStrings:
    """Translations with their sources; keys of the source without a translation; keys of the translation without a source."""

    pairs: tuple[tuple[StringEntry, StringEntry], ...]
    missing: tuple[StringEntry, ...]
    extra: tuple[StringEntry, ...]


def paired_strings(
    sources: Sequence[StringEntry], translations: Sequence[StringEntry], keys_are_places: bool = False
) -> PairedStrings:
    """Pair the texts of two files by key and plural form, or by alignment if keys are places. O(texts).

    A plural form that the source lacks has the source's `other`, since languages differ in their categories.
    """
    if keys_are_places:
        return _by_place(sources, translations)
    by_form = {(entry.key, entry.plural): entry for entry in sources}
    pairs = [(source, entry) for entry in translations if (source := _source(by_form, entry)) is not None]
    keys, source_keys = _keys(translations), _keys(sources)
    missing = {entry.key: entry for entry in reversed(sources) if entry.key not in keys}
    extra = {entry.key: entry for entry in reversed(translations) if entry.key not in source_keys}
    return PairedStrings(tuple(pairs), tuple(reversed(missing.values())), tuple(reversed(extra.values())))


def _by_place(sources: Sequence[StringEntry], translations: Sequence[StringEntry]) -> PairedStrings:
    pairs = aligned_blocks(sources, translations)
    source_places, places = {source.start for source, _ in pairs}, {entry.start for _, entry in pairs}
    missing = (entry for entry in sources if entry.start not in source_places)
    return PairedStrings(tuple(pairs), tuple(missing), tuple(entry for entry in translations if entry.start not in places))


def _source(by_form: Mapping[tuple[str, str], StringEntry], entry: StringEntry) -> StringEntry | None:
    source = by_form.get((entry.key, entry.plural))
    rest = by_form.get((entry.key, "other")) if entry.plural else None
    # The form of 1 in English is that of 21 in Russian, and so has the number that English leaves out.
    has_number = source is not None and any(sign in entry.text and sign not in source.text for sign in SIGNS)
    return rest if rest is not None and (source is None or has_number) else source


def _keys(entries: Iterable[StringEntry]) -> frozenset[str]:
    return frozenset(entry.key for entry in entries)
