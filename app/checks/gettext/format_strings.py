"""Format strings as gettext's msgfmt compares them, by the flags of messages.

Source: GNU gettext manual, "Translators for other Languages".
"""

import re
import sys
from collections.abc import Callable, Mapping
from typing import Final

from app.checks.gettext.arguments import Leniency, Types, difference
from app.checks.gettext.java_messages import java_types
from app.checks.gettext.places import PARSERS_OF_PLACES
from app.checks.gettext.printf import DIALECTS

__all__ = ["FORMATS", "format_fault"]

PARSERS: Final[Mapping[str, Callable[[str], Types | str]]] = {
    **{name: dialect.types for name, dialect in DIALECTS.items()},
    **PARSERS_OF_PLACES,
    "java-format": java_types,
}
FORMATS: Final = frozenset(PARSERS)
# Differences that msgfmt allows in each message, and in plural forms of one number, which may name it.
STRICT: Final = Leniency()
LENIENT_FORMATS: Final = {"perl-brace-format": Leniency(may_add=True)}
FORM_OF_NUMBER: Final = Leniency(missing=sys.maxsize)
FORMS_OF_NUMBER: Final = {
    "perl-brace-format": Leniency(sys.maxsize, may_add=True),
    "python-brace-format": Leniency(sys.maxsize, may_add=True),
    "javascript-format": Leniency(sys.maxsize, any_type="object"),
    "lua-format": STRICT,
    "qt-format": STRICT,
    "kde-format": Leniency(missing=1),
}
# Python has arguments with names, or without.
PYTHON: Final = "python-format"
# Numbers of Qt that its `arg` of several arguments does not know, if a text has others alone.
QT: Final = "qt-format"
LONG_NUMBER: Final = re.compile(r"%(?:L\d|\d\d)")


def format_fault(form: str, source: str, translation: str, is_strict: bool = True) -> str | None:
    """A sentence about a translation that programs cannot format as its source, or None. O(length).

    A source that is no format string has no faults. A translation that is not strict is a plural form of one number, which may name
    it.
    """
    parse = PARSERS[form]
    expected = parse(source)
    if isinstance(expected, str):
        return None
    types = parse(translation)
    if isinstance(types, str):
        return f"{types} is no placeholder of {form}"
    if form == QT and not LONG_NUMBER.search(source) and (number := LONG_NUMBER.search(translation)):
        return f"the source has numbers of one digit alone, the translation has {number[0]}"
    if is_strict or (form == PYTHON and any(isinstance(key, int) for key in expected)):
        return difference(expected, types, LENIENT_FORMATS.get(form, STRICT))
    return difference(expected, types, FORMS_OF_NUMBER.get(form, FORM_OF_NUMBER))
