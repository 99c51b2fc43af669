"""Format strings as gettext's msgfmt compares them: `c-format`, `python-format` and `python-brace-format`.

Source: GNU gettext manual, "c-format", "python-format"; Python, "printf-style String Formatting".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["FORMATS", "format_fault"]

FORMATS: Final = ("c-format", "python-format", "python-brace-format")
MACRO: Final = r"PRI[diouxX](?:(?:LEAST|FAST)?(?:8|16|32|64)|MAX|PTR)"
STARS: Final = r"(?P<width>\*(?:\d{1,5}\$)?|\d*+)(?:\.(?P<precision>\*(?:\d{1,5}\$)?|\d*+))?"
C: Final = re.compile(
    rf"%(?:(?P<number>[1-9]\d{{0,4}})\$)?[ +\-#0'I]*+{STARS}"
    rf"(?:<(?P<macro>{MACRO})>|(?P<size>hh|h|ll|l|L|q|j|z|t)?(?P<conversion>[%diouxXeEfFgGaAcsCSpnm]))"
)
PYTHON: Final = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?[ +\-#0]*+(?P<width>\*|\d*+)(?:\.(?P<precision>\*|\d*+))?[hlL]?(?P<conversion>[%diouxXeEfFgGcrs])"
)
NAME: Final = r"(?:[A-Za-z_]\w*|\d+)(?:\.[A-Za-z_]\w*|\[(?:[A-Za-z_]\w*|\d+)\])*"
SPEC: Final = r"(?:.?[<>=^])?[ +-]?#?0?\d*(?:\.\d+)?[bcdoxXneEfFgGs%]?"
FIELD: Final = re.compile(rf"\{{\{{|\{{(?P<field>{NAME}(?::(?:{SPEC}|\{{(?P<inner>{NAME})\}}))?)\}}")
KINDS: Final = {
    **dict.fromkeys("di", "integer"), **dict.fromkeys("ouxX", "unsigned"), **dict.fromkeys("eEfFgGaA", "number"), "c": "character",
    "s": "string", "C": "l character", "S": "l string", "p": "pointer", "n": "count",
}  # fmt: skip
KINDS_OF_PYTHON: Final = {
    **dict.fromkeys("diouxX", "integer"), **dict.fromkeys("eEfFgG", "number"), "c": "character", **dict.fromkeys("rs", "string"),
}  # fmt: skip
# Conversions without an argument.
PLAIN: Final = "%m"
STAR: Final = "integer"


@dataclass
class _Arguments:
    """Types of arguments by their numbers from 1 or their names."""

    types: dict[int | str, str] = field(default_factory=dict)
    next_number: int = 1
    has_numbers: bool = False

    def add(self, key: int | str | None, kind: str) -> bool:
        """Add an argument; False if it has two types, or if some arguments have names or numbers and some none."""
        if key is None:
            key, self.next_number = self.next_number, self.next_number + 1
        else:
            self.has_numbers = True
        return self.types.setdefault(key, kind) == kind and not (self.has_numbers and self.next_number > 1)


def format_fault(form: str, source: str, translation: str, is_strict: bool = True) -> str | None:
    """A sentence about a translation that programs cannot format as its source, or None. O(length).

    A source that is no format string has no faults. A translation that is not strict may lack arguments: a plural form of one
    number.
    """
    parse = {"c-format": _c, "python-format": _python, "python-brace-format": _braces}[form]
    expected = parse(source)
    if isinstance(expected, str):
        return None
    types = parse(translation)
    if isinstance(types, str):
        return f"{types} is no placeholder of {form}"
    return _difference(expected, types, is_strict)


def _difference(expected: Mapping[int | str, str], types: Mapping[int | str, str], is_strict: bool) -> str | None:
    missing = [_name(key) for key in expected if key not in types] if is_strict else []
    if missing:
        return f"the translation lacks {', '.join(missing)}"
    extra = [_name(key) for key in types if key not in expected]
    if extra:
        return f"the source lacks {', '.join(extra)}"
    changes = [
        f"{_name(key)} is {expected[key]} in the source, {kind} in the translation"
        for key, kind in types.items()
        if kind != expected[key]
    ]
    return "; ".join(changes) or None


def _name(key: int | str) -> str:
    return f"argument {key}" if isinstance(key, int) else f"“{key}”"


def _c(text: str) -> dict[int | str, str] | str:
    arguments, at = _Arguments(), text.find("%")
    while at >= 0:
        match = C.match(text, at)
        if match is None:
            return _fault(text, at)
        for star in (match["width"], match["precision"]):
            if star and star[0] == "*" and not arguments.add(int(star[1:-1]) if star[1:] else None, STAR):
                return match[0]
        conversion = match["conversion"]
        if conversion is None or conversion not in PLAIN:
            kind = f"{match['macro']}" if conversion is None else f"{match['size'] or ''} {KINDS[conversion]}".strip()
            if not arguments.add(int(match["number"]) if match["number"] else None, kind):
                return match[0]
        at = text.find("%", match.end())
    # Numbers leave out none.
    gap = next((number for number in range(1, len(arguments.types) + 1) if number not in arguments.types), None)
    return arguments.types if gap is None else f"%{max(map(int, arguments.types))}$ without argument {gap}"


def _python(text: str) -> dict[int | str, str] | str:
    arguments, at = _Arguments(), text.find("%")
    while at >= 0:
        match = PYTHON.match(text, at)
        if match is None:
            return _fault(text, at)
        for star in (match["width"], match["precision"]):
            if star == "*" and not arguments.add(None, STAR):
                return match[0]
        if match["conversion"] != "%" and not arguments.add(match["name"], KINDS_OF_PYTHON[match["conversion"]]):
            return match[0]
        at = text.find("%", match.end())
    return arguments.types


def _braces(text: str) -> dict[int | str, str] | str:
    """Fields with their attributes and formats, which msgfmt compares as they are."""
    types: dict[int | str, str] = {}
    at = text.find("{")
    while at >= 0:
        match = FIELD.match(text, at)
        if match is None:
            return _fault(text, at)
        types |= {name: "field" for name in match.groups() if name}
        at = text.find("{", match.end())
    return types


def _fault(text: str, at: int) -> str:
    """The sign and the characters behind it."""
    return f"“{text[at : at + 8]}”"
