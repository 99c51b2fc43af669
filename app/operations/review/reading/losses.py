"""Translations that a change emptied or removed, although their sources are there."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.checks import Severity
from app.checks.structure.plural_categories import CATEGORIES, categories_for
from app.operations.review.reviewed import Fault, FileStrings, ReviewString
from app.text.languages import base_language

__all__ = ["lost_file", "lost_strings"]

CODE: Final = "missing"
LOSS: Final = "the change emptied or removed the translation"
KEYS_LIMIT: Final = 5


def lost_strings(
    earlier: Iterable[ReviewString], strings: Sequence[ReviewString], sources: Mapping[str, Collection[str]]
) -> Iterator[Fault]:
    """Faults about earlier strings without a translation now. O(strings).

    `sources` are the present source texts by key, none for unknown ones. In files without keys, a source is its own key. A fault
    has the place of the string before it. It is a warning if the source changed too.
    """
    present = {(string.name or string.source, string.plural): string for string in strings}
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for key, plural in present:
        forms[key].add(plural)
    place = (1, 1, 1, 1)
    for string in earlier:
        key = string.name or string.source
        survivor = present.get((key, string.plural))
        if survivor is not None:
            place = survivor.place
        elif key in sources and _is_needed(string, forms[key]):
            texts = sources[key]
            severity: Severity = "warning" if texts and string.source not in texts else "error"
            yield Fault(replace(string, place=place, is_changed=True), CODE, LOSS, severity)


def lost_file(path: str, parts: Iterable[FileStrings]) -> Iterator[FileStrings]:
    """A fault about each language of a file that a change removed, with the first of its keys."""
    for part in parts:
        if part.strings:
            keys = list(dict.fromkeys(string.key or string.source for string in part.strings))
            names = ", ".join(keys[:KEYS_LIMIT]) + (", …" if len(keys) > KEYS_LIMIT else "")
            string = ReviewString(path, part.language, "", "", "", "", (1, 1, 1, 1))
            message = f"the change removed the file with translations of {names}"
            yield replace(part, strings=(), missing=len(keys), faults=(Fault(string, CODE, message, "error"),))


def _is_needed(string: ReviewString, forms: Collection[str]) -> bool:
    """Return True for the last text of a key, and for a plural form of the language beside other forms.

    Empty forms of gettext are faults of their catalogue.
    """
    if forms and string.plural.isdigit():
        return False
    categories = categories_for(base_language(string.language)).integers
    return not forms or (bool(string.plural) and (string.plural in categories or string.plural not in CATEGORIES))
