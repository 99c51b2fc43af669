"""Format strings with places for arguments by number or by name: braces, shell variables, and numbers of Qt and KDE.

Sources: GNU gettext manual, "Translators for other Languages"; Python, "Format String Syntax"; Qt, `QString::arg`; .NET, "Composite
formatting".
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from app.checks.gettext.arguments import Arguments, Key, Types

__all__ = ["PARSERS_OF_PLACES"]

NAME: Final = r"(?:[A-Za-z_]\w*|\d+)(?:\.[A-Za-z_]\w*|\[(?:[A-Za-z_]\w*|\d+)\])*"
SPEC: Final = r"(?:.?[<>=^])?[ +-]?#?0?\d*(?:\.\d+)?[bcdoxXneEfFgGs%]?"
FIELD: Final = re.compile(rf"\{{\{{|\{{(?P<field>{NAME}(?::(?:{SPEC}|\{{(?P<inner>{NAME})\}}))?)\}}")
VARIABLE: Final = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*+)\}")
SHELL: Final = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*+)|\{(?P<inner>[A-Za-z_]\w*+)\})", re.ASCII)
COMPOSITE: Final = re.compile(r"\{\{|\}\}|\{(?P<number>\d{1,4})(?:,-?\d++)?(?::[^}]*+)?\}")
QT: Final = re.compile(r"%L?(\d{1,2})")
QT_PLURAL: Final = re.compile(r"%L?n")
KDE: Final = re.compile(r"%([1-9]\d{0,4})")
YCP: Final = re.compile(r"%(?:%|([1-9]))")
VALUE: Final = "argument"
# KDE leaves out the number of a plural form.
KDE_GAPS: Final = 1


def _python(text: str) -> Types | str:
    """Fields with their attributes and formats, which msgfmt compares as they are."""
    types: dict[Key, str] = {}
    at = text.find("{")
    while at >= 0:
        match = FIELD.match(text, at)
        if match is None:
            return _fault(text, at)
        types |= {name: VALUE for name in match.groups() if name}
        at = text.find("{", match.end())
    return types


def _perl(text: str) -> Types | str:
    return dict.fromkeys(VARIABLE.findall(text), VALUE)


def _shell(text: str) -> Types | str:
    types: dict[Key, str] = {}
    at = text.find("$")
    while at >= 0:
        match = SHELL.match(text, at)
        if match is None:
            return _fault(text, at)
        types[match["name"] or match["inner"]] = VALUE
        at = text.find("$", match.end())
    return types


def _qt(text: str) -> Types | str:
    return {int(number): VALUE for number in QT.findall(text)}


def _qt_plural(text: str) -> Types | str:
    return {"n": VALUE} if QT_PLURAL.search(text) else {}


def _kde(text: str) -> Types | str:
    arguments = Arguments(may_mix=True)
    for number in KDE.findall(text):
        arguments.add(int(number), VALUE)
    gaps = arguments.gaps()
    return arguments.types if len(gaps) <= KDE_GAPS else f"an argument behind {gaps[0]} and {gaps[1]}, which are missing,"


def _ycp(text: str) -> Types | str:
    types: dict[Key, str] = {}
    at = text.find("%")
    while at >= 0:
        match = YCP.match(text, at)
        if match is None:
            return _fault(text, at)
        types |= {int(match[1]): VALUE} if match[1] else {}
        at = text.find("%", match.end())
    return types


def _composite(text: str) -> Types | str:
    """Numbers from 0 to the highest, which .NET wants as arguments."""
    count, at = 0, 0
    while (sign := re.compile("[{}]").search(text, at)) is not None:
        match = COMPOSITE.match(text, sign.start())
        if match is None:
            return _fault(text, sign.start())
        count = max(count, int(match["number"]) + 1 if match["number"] else 0)
        at = match.end()
    return dict.fromkeys(range(count), VALUE)


def _fault(text: str, at: int) -> str:
    """The sign and the characters behind it."""
    return f"“{text[at : at + 8]}”"


PARSERS_OF_PLACES: Final[Mapping[str, Callable[[str], Types | str]]] = {
    "python-brace-format": _python,
    "perl-brace-format": _perl,
    "sh-format": _shell,
    "csharp-format": _composite,
    "qt-format": _qt,
    "qt-plural-format": _qt_plural,
    "kde-format": _kde,
    "ycp-format": _ycp,
}
