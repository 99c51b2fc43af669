"""Faults in the spelling of texts: signs that Android's compiler refuses, and apostrophes that hide an argument from Java."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from app.checks.gettext import java_message
from app.documents.strings import StringEntry
from app.documents.strings.formats.xml.quotes import bare_signs
from app.operations.review.reading.places import Places
from app.operations.review.reviewed import Fault, ReviewString

__all__ = ["spelling_faults"]

ANDROID: Final = "android"
PROPERTIES: Final = "properties"
# Folders of Android's resources begin so; Compose has other rules for its own.
ANDROID_FOLDER: Final = "values"
COMPOSE: Final = "composeResources"
ARGUMENT: Final = re.compile(r"\{\d")
ARGUMENT_NAME: Final = re.compile(r"\{(\d{1,9})[,}]")
NAMES_LIMIT: Final = 5
# An apostrophe within a word, which no author of a message writes as a quote.
ELISION: Final = re.compile(r"\w'\w")
TWO_APOSTROPHES: Final = "''"

Pairs = Sequence[tuple[StringEntry, StringEntry]]


def spelling_faults(
    form: str, texts: tuple[str, str], sources: Sequence[StringEntry], pairs: Pairs, strings: Sequence[ReviewString]
) -> Iterator[Fault]:
    """Faults of translations; `texts` are the files of the sources and of the translations, `strings` belong to `pairs`. O(length).

    A source file with such a fault shows that other programs read the files.
    """
    if form == ANDROID and strings and _is_of_android(strings[0].path):
        if not any(bare_signs(texts[0], entry.start, entry.end).apostrophes for entry in sources):
            yield from _of_android(texts, pairs, strings)
    elif form == PROPERTIES and not any(_hides_argument(entry.text) for entry in sources):
        yield from _of_java(texts[1], pairs, strings)


def _of_android(texts: tuple[str, str], pairs: Pairs, strings: Sequence[ReviewString]) -> Iterator[Fault]:
    places = Places(texts[1])
    for (source, entry), string in zip(pairs, strings, strict=True):
        signs = bare_signs(texts[1], entry.start, entry.end)
        for place in signs.apostrophes[:1]:
            message = r"the compiler of Android refuses an apostrophe without a backslash: write \'"
            yield Fault(replace(string, place=places.of(*place)), "escapes", message, "error")
        if signs.quote is not None and bare_signs(texts[0], source.start, source.end).quote is None:
            message = r"this quotation mark has no partner, so Android shows none: write \""
            yield Fault(replace(string, place=places.of(*signs.quote)), "escapes", message, "warning")


def _of_java(text: str, pairs: Pairs, strings: Sequence[ReviewString]) -> Iterator[Fault]:
    places = Places(text)
    is_doubled = any(TWO_APOSTROPHES in entry.text and ARGUMENT.search(entry.text) for pair in pairs for entry in pair)
    for (source, entry), string in zip(pairs, strings, strict=True):
        if "'" not in entry.text or not ARGUMENT.search(source.text):
            continue
        source_message, message = java_message(source.text), java_message(entry.text)
        missing_numbers = source_message.types.keys() - message.types.keys()
        for start, end in message.quotations:
            numbers = (int(name[1]) for name in ARGUMENT_NAME.finditer(entry.text, start, end))
            hidden = [f"{{{number}}}" for number in dict.fromkeys(numbers) if number in missing_numbers][:NAMES_LIMIT]
            if hidden and source_message.fault is None:
                is_spelled_plainly = text[entry.start : entry.end] == entry.text
                at = (entry.start + start, entry.start + start + 1) if is_spelled_plainly else (entry.start, entry.end)
                sure = is_doubled or entry.text.startswith("{", start + 1)
                detail = f"Java shows {', '.join(hidden)} as letters behind a single apostrophe: write two"
                yield Fault(replace(string, place=places.of(*at)), "placeholders", detail, "error" if sure else "warning")
                break


def _is_of_android(path: str) -> bool:
    """Return True for a path without folders, and for a folder of resources."""
    *folders, _ = path.split("/")
    return COMPOSE not in folders and (not folders or folders[-1].startswith(ANDROID_FOLDER))


def _hides_argument(text: str) -> bool:
    """Return True for an apostrophe within a word that quotes an argument."""
    return any(
        ARGUMENT.search(text, start, end) is not None and ELISION.match(text, start - 1) is not None
        for start, end in java_message(text).quotations
        if start
    )
