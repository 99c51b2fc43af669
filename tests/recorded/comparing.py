"""Two sets of answers beside each other: every value that differs, with its place."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

__all__ = ["DIFFERENCES", "Allowed", "Difference", "differences", "read_allowed", "unexpected"]

Json = dict[str, Any]
DIFFERENCES: Final = Path(__file__).parent / "differences.json"
# What stands before JSON on the lines of these media types.
LINES_OF_JSON: Final = {"application/x-ndjson": "", "text/event-stream": "data: "}
ABSENT: Final = "(absent)"
LONGEST: Final = 300
# Characters that are printed before the first that differs.
BEFORE: Final = 60
STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
GLUE: Final = re.compile(r"[,:{}\[\]][ \t\r\n]*")
NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Written(float):
    """A number with a fraction, and how it was written."""

    def __new__(cls, text: str) -> "Written":
        """The number that the text says."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def _first_difference(one: str, other: str) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _part(text: str, begin: int) -> str:
    """A value as it is printed: where it begins to differ, and not for ever."""
    part = text[begin : begin + LONGEST]
    return ("... " if begin else "") + part + ("" if begin + LONGEST >= len(text) else f" ... ({len(text)} characters)")


class Missing:
    """Stands where one side has no value."""


@dataclass(frozen=True)
class Difference:
    """A value of one answer that is not what it was."""

    request: str
    path: str
    before: str
    after: str
    distance: float | None = None

    def __str__(self) -> str:
        far = "" if self.distance is None else f"   ({self.distance:.3g} off)"
        begin = max(0, _first_difference(self.before, self.after) - BEFORE)
        return f"{self.request}  {self.path}{far}\n  - {_part(self.before, begin)}\n  + {_part(self.after, begin)}"


@dataclass(frozen=True)
class Allowed:
    """A deliberate difference, and why; `*` stands for anything in both patterns. Of numbers, `within` is how far they are off at most."""

    request: str
    path: str
    why: str
    within: float | None = None

    def covers(self, found: Difference) -> bool:
        """Whether this is the difference that is meant."""
        near = self.within is None or (found.distance is not None and found.distance <= self.within)
        return near and fnmatchcase(found.request, self.request) and fnmatchcase(found.path, self.path)


# What follows from a last digit.
OF_DIGITS: Final = (Allowed("*", "*.sha256", "of a model's numbers"), Allowed("*", "headers.etag", "of content with numbers"))


def read_allowed(path: Path = DIFFERENCES) -> list[Allowed]:
    """The differences that are deliberate."""
    return [Allowed(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def unexpected(found: Sequence[Difference], allowed: Sequence[Allowed], tolerance: float = 0.0) -> list[Difference]:
    """The differences that nobody meant, and of numbers those beyond the tolerance."""
    if tolerance > 0.0:
        found = [each for each in found if each.distance is None or each.distance > tolerance]
        allowed = [*allowed, *OF_DIGITS]
    return [each for each in found if not any(rule.covers(each) for rule in allowed)]


def differences(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[Difference]:
    """Every difference, answer by answer in the order of the first set."""
    found = []
    for name in [*before, *(each for each in after if each not in before)]:
        if name not in before or name not in after:
            found.append(Difference(name, "", *("answered" if name in each else ABSENT for each in (before, after))))
            continue
        found += [Difference(name, *each) for each in _answers(before[name], after[name])]
    return found


Found = Iterator[tuple[str, str, str, float | None]]


def _answers(before: Json, after: Json) -> Found:
    yield from _values("status", before["status"], after["status"])
    yield from _values("headers", before["headers"], after["headers"])
    if before["body"] == after["body"]:
        return
    if not (isinstance(before["body"], str) and isinstance(after["body"], str)):
        yield from _values("body", before["body"], after["body"])
        return
    kind = before["headers"].get("content-type", "").partition(";")[0]
    if kind.endswith("json") and kind not in LINES_OF_JSON:
        yield from _json("body", before["body"], after["body"])
    else:
        yield from _lines("body", before["body"], after["body"], LINES_OF_JSON.get(kind))


def _json(path: str, before: str, after: str) -> Found:
    try:
        old, new = (json.loads(text, parse_float=Written) for text in (before, after))
    except ValueError:
        yield from _lines(path, before, after)
        return
    inside = list(_values(path, old, new))
    yield from inside
    forms = _form(before), _form(after)
    shared = forms[0].keys() & forms[1].keys()
    if not inside or any(forms[0][mark] != forms[1][mark] for mark in shared):
        yield f"{path}.form", str(forms[0]), str(forms[1]), None


def _form(text: str) -> dict[str, list[str]]:
    """How JSON was written: which blanks follow its marks, and whether letters are escaped."""
    found: dict[str, set[str]] = {"escaped": {str("\\u" in text)}}
    for glue in GLUE.findall(STRING.sub('""', text)):
        found.setdefault(glue[0], set()).add(glue[1:])
    return {mark: sorted(blanks) for mark, blanks in found.items()}


def _lines(path: str, before: str, after: str, prefix: str | None = None) -> Found:
    """Line by line; those that begin with the prefix go on as JSON."""
    old, new = before.split("\n"), after.split("\n")
    yield from _values(f"{path}.lines", len(old), len(new))
    for number, (one, other) in enumerate(zip(old, new, strict=False), 1):
        if one == other:
            continue
        if prefix is not None and one.startswith(prefix) and other.startswith(prefix):
            yield from _json(f"{path}.line.{number}", one.removeprefix(prefix), other.removeprefix(prefix))
        else:
            yield from _values(f"{path}.line.{number}", one, other)


def _values(path: str, before: Any, after: Any) -> Found:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(each for each in after if each not in before)]:
            yield from _values(f"{path}.{key}", before.get(key, Missing), after.get(key, Missing))
        if path != "headers" and [key for key in before if key in after] != [key for key in after if key in before]:
            yield f"{path}.order", " ".join(before), " ".join(after), None
    elif isinstance(before, list) and isinstance(after, list):
        for place in range(max(len(before), len(after))):
            yield from _values(f"{path}.{place}", *(each[place] if place < len(each) else Missing for each in (before, after)))
    elif _said(before) != _said(after):
        yield path, _said(before), _said(after), _distance(before, after)


def _said(value: Any) -> str:
    if value is Missing:
        return ABSENT
    return value.text if isinstance(value, Written) else json.dumps(value, ensure_ascii=False)


def _distance(before: Any, after: Any) -> float | None:
    """How far two numbers are from each other, or the farthest of those in two texts that are the same but for them."""
    if isinstance(before, str) and isinstance(after, str) and NUMBER.split(before) == NUMBER.split(after):
        pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
        return max((abs(float(one) - float(other)) for one, other in pairs), default=None)
    if any(isinstance(each, bool) or not isinstance(each, (int, float)) for each in (before, after)):
        return None
    distance = abs(float(before) - float(after))
    return distance if math.isfinite(distance) else None
