"""Reader of JSON lines: one hypothesis, one segment, or the array of a segment's hypotheses per line.

A hypothesis is ``{"text": …, "score": …, "features": {name: number or numbers}}``, as in requests and answers. Alone on its
line it needs its ``segment``, from 0. The object of a segment has its list in ``n_best``; ``segment`` (by default the next one),
``source`` and ``references`` are optional.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, TypeVar

from app.errors import InputError
from app.text.reading.checking import check_segments
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import MOST_SEGMENTS
from app.text.reading.n_best_lists.gathering import ListHypothesis, refused
from app.text.reading.objects import json_lines

__all__ = ["Beside", "read_json"]

T = TypeVar("T")
EXPECTED: Final = "expected an object with segment and text, or one with n_best"


@dataclass(frozen=True)
class Beside:
    """Sources and references by segment."""

    sources: dict[int, str] = field(default_factory=dict)
    references: dict[int, list[str]] = field(default_factory=dict)

    @property
    def segments(self) -> int:
        """Least number of segments: one more than the highest number."""
        return 1 + max((*self.sources, *self.references), default=-1)

    def source_column(self, segments: int) -> list[str] | None:
        """Return the source of every segment, None without any source; InputError if some are missing."""
        return _column(self.sources, segments, "source") if self.sources else None

    def reference_columns(self, segments: int) -> list[list[str]]:
        """Return a list of texts for each reference; InputError if segments differ in their number of references."""
        if not self.references:
            return []
        rows = _column(self.references, segments, "references")
        for segment, row in enumerate(rows):
            if len(row) != len(rows[0]):
                detail = f"segment {segment} has {len(row)} references, segment 0 has {len(rows[0])}"
                raise InputError("unequal-lengths", detail, ("references", segment))
        return [list(column) for column in zip(*rows, strict=True)]


def _column(texts: Mapping[int, T], segments: int, name: str) -> list[T]:
    missing = next((segment for segment in range(segments) if segment not in texts), None)
    if missing is not None:
        raise InputError("missing-evidence", f"segment {missing} has no {name}, but others have", (name, missing))
    return [texts[segment] for segment in range(segments)]


def read_json(file: TextFile, beside: Beside) -> Iterator[ListHypothesis]:
    """Yield the hypotheses of all lines, and store sources and references in `beside`; InputError names line and fault."""
    following = 0
    for number, value in json_lines(file.lines(), file.name):
        place = (file.name, number)
        row = {"n_best": value} if isinstance(value, list) else value
        if "n_best" not in row:
            yield _hypothesis(row, _segment(row.get("segment"), place), place)
            continue
        segment = _segment(row.get("segment", following), place)
        following = segment + 1
        if row.get("source") is not None:
            beside.sources[segment] = _text(row["source"], (*place, "source"))
        if row.get("references") is not None:
            beside.references[segment] = [_text(text, (*place, "references")) for text in _list(row["references"], place)]
        for k, entry in enumerate(_list(row["n_best"], place)):
            yield _hypothesis(entry, segment, (*place, "n_best", k))


def _list(value: Any, place: tuple[str | int, ...]) -> list[Any]:
    if not isinstance(value, list):
        raise refused("n_best must be a list of hypotheses, references a list of texts", place)
    return value


def _hypothesis(entry: Any, segment: int, place: tuple[str | int, ...]) -> ListHypothesis:
    if not isinstance(entry, dict) or "text" not in entry:
        raise refused(EXPECTED, place)
    features = entry.get("features", {})
    if not isinstance(features, dict):
        raise refused("features must be an object of numbers by name", (*place, "features"))
    values = []
    for name, row in features.items():
        _text(name, (*place, "features"))
        values += [(name, _number(value, (*place, "features"))) for value in (row if isinstance(row, list) else [row])]
    return ListHypothesis(
        segment, _text(entry["text"], (*place, "text")), _number(entry.get("score", 0.0), (*place, "score")), values
    )


def _segment(number: Any, place: tuple[str | int, ...]) -> int:
    if type(number) is not int or not 0 <= number < MOST_SEGMENTS:
        raise refused(f"segment must be a number from 0 and below {MOST_SEGMENTS}", (*place, "segment"))
    return number


def _text(value: Any, place: tuple[str | int, ...]) -> str:
    if not isinstance(value, str):
        raise refused("expected a text", place)
    check_segments([value], len(value), place)
    return value


def _number(value: Any, place: tuple[str | int, ...]) -> float:
    if type(value) not in (int, float):
        raise refused("expected a number", place)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise refused("expected a finite number", place)
    return number
