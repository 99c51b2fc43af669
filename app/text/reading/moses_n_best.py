"""Lines of n-best lists of Moses, cdec and Joshua: ``segment ||| text ||| features ||| total [||| alignment]``.

Features are written ``d: 0 -1``, ``d= 0 -1`` or ``d=0``; values without a name get the name ``score``. Segments are numbered from
0, in any order; an unused number is a segment without hypotheses. Empty lines are skipped. An alignment links words
(``0-0 1-2``) or phrases (``0-1=0 2=1-2``); other cells after the total are ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final, Literal

from app.text.n_best import Alignments, NBestLists
from app.text.reading.numbers import finite_number, whole_number

__all__ = ["NBestLine", "Naming", "features_of", "links_of", "n_best_line", "n_best_lines", "number_of", "segment_number"]

Naming = Literal["= ", ": ", "="]
SEPARATOR: Final = "|||"
UNNAMED: Final = "score"
# No decoder writes more cells of a line.
MOST_CELLS: Final = 10
# Limit of segment numbers: a single line could otherwise create any number of empty lists.
MOST_SEGMENTS: Final = 10_000_000
LONGEST_PLACE: Final = 5
EXPECTED: Final = "expected: segment ||| text ||| name: score ... ||| total, with finite numbers"


@dataclass(frozen=True)
class NBestLine:
    """One line: segment number, hypothesis, features as text, total, and the cells after the total."""

    segment: int
    text: str
    features: str
    total: float
    rest: tuple[str, ...] = ()


def n_best_line(line: str) -> NBestLine | None:
    """Split a line of an n-best list; None for any other line. Features remain text."""
    cells = [cell.strip() for cell in line.split(SEPARATOR, MOST_CELLS)]
    segment, total = segment_number(cells[0]), finite_number(cells[3]) if len(cells) > 3 else None
    return None if segment is None or total is None else NBestLine(segment, cells[1], cells[2], total, tuple(cells[4:]))


def segment_number(text: str) -> int | None:
    """Number of a segment, from 0 and below `MOST_SEGMENTS`; None for another text."""
    number = whole_number(text) if len(text) <= len(str(MOST_SEGMENTS)) else None
    return None if number is None or number >= MOST_SEGMENTS else number


def features_of(cell: str) -> tuple[tuple[str, ...], list[float]]:
    """Return the name of each value, and the values; NaN for a word that is no finite number."""
    names: list[str] = []
    values: list[float] = []
    name = UNNAMED
    for word in cell.split():
        if word[-1] in ":=":
            name = word[:-1]
            continue
        word_name, equals, number = word.rpartition("=")
        names.append(word_name if equals else name)
        value = finite_number(number)
        values.append(nan if value is None else value)
    return tuple(names), values


def links_of(cells: Sequence[str]) -> tuple[list[int], bool]:
    """Return four positions per link of the last alignment cell, and True if it links phrases.

    Moses writes phrases before words.
    """
    return next(((links, "=" in cell) for cell in reversed(cells) if (links := _links(cell))), ([], False))


def _links(cell: str) -> list[int]:
    """Return four positions per link; empty if the cell is not an alignment."""
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
    """Yield the lines of all hypotheses, without line ends; numbers have the shortest exact spelling."""
    for segment, hypotheses in enumerate(lists):
        for h in hypotheses:
            features = [_feature(name, values, naming) for name, values in lists.named(h).items()]
            cells = [str(segment), lists.texts[h], " ".join(features), number_of(float(lists.scores[h]))]
            if lists.alignments is not None:
                cells.append(_alignment(lists.alignments, h))
            yield " ||| ".join(cells)


def _feature(name: str, values: Sequence[float], naming: Naming) -> str:
    numbers = [number_of(value) for value in values]
    return " ".join(f"{name}={value}" for value in numbers) if naming == "=" else f"{name}{naming}{' '.join(numbers)}"


def number_of(value: float) -> str:
    """Return the shortest exact spelling, whole numbers as C++ streams write them: -5, 1e+20."""
    return repr(value).removesuffix(".0")


def _alignment(alignments: Alignments, h: int) -> str:
    spans = alignments.spans[alignments.offsets[h] : alignments.offsets[h + 1]].tolist()
    if not alignments.phrases:
        return " ".join(f"{source}-{target}" for source, _, target, _ in spans)
    return " ".join(f"{_places(first, last)}={_places(start, end)}" for first, last, start, end in spans)


def _places(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
