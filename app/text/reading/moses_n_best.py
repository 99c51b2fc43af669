"""Text of n-best lists, as Moses, cdec and Joshua write it: ``segment ||| text ||| features ||| total [||| alignment]``.

Features stand as ``d: 0 -1``, ``d= 0 -1`` or ``d=0``; scores without a name are called ``score``. Segments are numbered from 0, in
any order, and a number that is left out is a segment without hypotheses. Empty lines say nothing. An alignment is of words
(``0-0 1-2``) or of phrases (``0-1=0 2=1-2``); cells behind the total that are neither are ignored.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any, Final, Literal

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.text.feature_columns.columns import columns_of_layouts
from app.text.n_best import Alignments, NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of

__all__ = ["NBestLine", "Naming", "features_of", "links_of", "n_best_line", "n_best_lines", "number_of", "read_n_best"]

Naming = Literal["= ", ": ", "="]
SEPARATOR: Final = "|||"
UNNAMED: Final = "score"
# Segments are numbered below this; one number too many would make that many lists.
MOST_SEGMENTS: Final = 10_000_000
LONGEST_PLACE: Final = 5
EXPECTED: Final = "expected: segment ||| text ||| name: score ... ||| total, with finite numbers"


@dataclass(frozen=True)
class NBestLine:
    """One line: the segment's number, the hypothesis, its features as text, its total, and the cells behind that."""

    segment: int
    text: str
    features: str
    total: float
    rest: tuple[str, ...] = ()


def n_best_line(line: str) -> NBestLine | None:
    """A line of an n-best list; None where it is none. Features are not looked at yet."""
    cells = [cell.strip() for cell in line.split(SEPARATOR)]
    number = cells[0]
    if len(cells) < 4 or not (number.isascii() and number.isdigit()) or len(number) > len(str(MOST_SEGMENTS)):
        return None
    try:
        total = float(cells[3])
    except ValueError:
        return None
    if int(number) >= MOST_SEGMENTS or not np.isfinite(total):
        return None
    return NBestLine(int(number), cells[1], cells[2], total, tuple(cells[4:]))


def read_n_best(lines: Iterable[str]) -> NBestLists:
    """The lists of all segments up to the last number; hypotheses of a segment stay in the order of the lines.

    InputError ("invalid-table") names the line that is not of an n-best list.
    """
    data, ends, segments, totals = bytearray(), array("q", [0]), array("q"), array("d")
    layouts: dict[tuple[str, ...], int] = {}
    layout, values = array("q"), array("d")
    spans, span_ends, phrases = array("i"), array("q", [0]), False
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        line = n_best_line(text)
        names, row = ((), []) if line is None else features_of(line.features)
        if line is None or not all(map(isfinite, row)):
            raise InputError("invalid-table", EXPECTED, (number,))
        layout.append(layouts.setdefault(names, len(layouts)))
        values.extend(row)
        data += line.text.encode("utf-8", "surrogatepass")
        ends.append(len(data))
        segments.append(line.segment)
        totals.append(line.total)
        links, are_phrases = links_of(line.rest)
        spans.extend(links)
        phrases = phrases or are_phrases
        span_ends.append(len(spans) // 4)
    columns = columns_of_layouts(list(layouts), _array(layout, np.int64), _array(values, np.float64))
    return _in_order(
        _array(segments, np.int64),
        NBestLists(
            np.arange(len(segments) + 1),
            PackedTexts(np.frombuffer(data, np.uint8), _array(ends, np.int64)),
            _array(totals, np.float64),
            columns.names,
            columns.dense,
            Alignments(_array(span_ends, np.int64), _array(spans, np.int32).reshape(-1, 4), phrases) if spans else None,
            columns.sparse,
        ),
    )


def _array(numbers: "array[Any]", kind: type[Any]) -> Any:
    """The same numbers without a copy."""
    return np.frombuffer(numbers, kind) if numbers else np.empty(0, kind)


def _in_order(segments: Int64s, single: NBestLists) -> NBestLists:
    """Lists of one hypothesis each as lists of the segments that they belong to."""
    order = np.argsort(segments, kind="stable")
    ordered = single if (order[:-1] < order[1:]).all() else single.rows(order)
    return replace(ordered, offsets=offsets_of(np.bincount(segments)))


def features_of(cell: str) -> tuple[tuple[str, ...], list[float]]:
    """The name of each number and the numbers; NaN in place of a word that is none."""
    names: list[str] = []
    values: list[float] = []
    name = UNNAMED
    for word in cell.split():
        if word[-1] in ":=":
            name = word[:-1]
            continue
        own, equals, number = word.rpartition("=")
        names.append(own if equals else name)
        try:
            values.append(float(number))
        except ValueError:
            values.append(nan)
    return tuple(names), values


def links_of(cells: Sequence[str]) -> tuple[list[int], bool]:
    """Four places for each link of the last cell that is an alignment, and whether it is one of phrases.

    Moses writes phrases before words where it writes both.
    """
    return next(((links, "=" in cell) for cell in reversed(cells) if (links := _links(cell))), ([], False))


def _links(cell: str) -> list[int]:
    """Four places for each link, nothing where the cell is no alignment."""
    spans: list[int] = []
    for word in cell.split():
        source, phrases, target = word.partition("=" if "=" in word else "-")
        left, right = _span(source), _span(target)
        if not phrases or left is None or right is None:
            return []
        spans += left + right
    return spans


def _span(word: str) -> list[int] | None:
    places = word.split("-")
    if len(places) > 2 or not all(place.isascii() and place.isdigit() and len(place) <= LONGEST_PLACE for place in places):
        return None
    return [int(places[0]), int(places[-1])]


def n_best_lines(lists: NBestLists, naming: Naming = "= ") -> Iterator[str]:
    """The lines of all hypotheses, without line ends; numbers are the shortest that read as the same."""
    for segment, hypotheses in enumerate(lists):
        for h in hypotheses:
            features = [_feature(name, values, naming) for name, values in lists.named(h).items()]
            cells = [str(segment), lists.texts[h], " ".join(features), number_of(float(lists.scores[h]))]
            if lists.alignments is not None:
                cells.append(_alignment(lists.alignments, h))
            yield " ||| ".join(cells)


def _feature(name: str, values: Sequence[float], naming: Naming) -> str:
    spelled = [number_of(value) for value in values]
    return " ".join(f"{name}={value}" for value in spelled) if naming == "=" else f"{name}{naming}{' '.join(spelled)}"


def number_of(value: float) -> str:
    """The shortest spelling, as C++ streams write whole numbers: -5, 1e+20."""
    return repr(value).removesuffix(".0")


def _alignment(alignments: Alignments, h: int) -> str:
    spans = alignments.spans[alignments.offsets[h] : alignments.offsets[h + 1]].tolist()
    if not alignments.phrases:
        return " ".join(f"{source}-{target}" for source, _, target, _ in spans)
    return " ".join(f"{_places(first, last)}={_places(start, end)}" for first, last, start, end in spans)


def _places(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
