"""Reading markup as Moses has it: ``das ist ein <n translation="dwelling||house" prob="0.8||0.2">haus</n> <wall/> .``

It is read once from left to right. It is no XML: there are no entities (text is escaped as the system's own was, and stays so),
and a word may not hold ``<``.
"""

from dataclasses import dataclass
from math import isfinite, log

from app.errors import InputError
from app.smt.decoder.markup.marks import Hint, Marks, Use
from app.text.tokenisation import tokens_of

__all__ = ["plain_and_marks"]

ZONE, WALL = "zone", "wall"
# The second is the older name of the first.
TRANSLATION, ENGLISH, PROBABILITY = "translation", "english", "prob"
LEAST_SCORE = -100.0
MOST_HINTS = 10_000
MOST_BOUNDS = 1000
BLANKS = " \t\r\n\f\v"


@dataclass(frozen=True)
class _Tag:
    at: int
    name: str
    attributes: dict[str, str]
    closes: bool
    alone: bool
    end: int


@dataclass(frozen=True)
class _Open:
    tag: _Tag
    begin: int


def plain_and_marks(line: str, use: Use, name: str, number: int) -> tuple[str, Marks]:
    """The words of line `number` of a text without markup, and what it says; all of it is text where it is passed through.

    InputError names the line and the character where markup is none.
    """
    if use is Use.THROUGH:
        return line, Marks(use=use)
    try:
        tokens, marks = _read(line, use)
    except _MarkupError as error:
        detail = f"line {number} of {name}, character {error.at + 1}: {error}"
        raise InputError("invalid-request", detail, (name, number)) from None
    return " ".join(tokens), marks


class _MarkupError(ValueError):
    def __init__(self, at: int, detail: str) -> None:
        super().__init__(detail)
        self.at = at


def _read(line: str, use: Use) -> tuple[list[str], Marks]:
    tokens: list[str] = []
    stack: list[_Open] = []
    hints: list[Hint] = []
    zones: dict[tuple[int, int], None] = {}
    # Each wall with the begin of the zone that it is in, whose end is not yet read.
    walls: list[tuple[int, int, int]] = []
    waiting: list[list[int]] = [[]]
    at = 0
    while at < len(line):
        tag_at = line.find("<", at)
        tokens += tokens_of(line[at : len(line) if tag_at < 0 else tag_at])
        if tag_at < 0:
            break
        tag = _tag(line, tag_at)
        at = tag.end
        here = len(tokens)
        if tag.name == WALL:
            if not tag.alone or tag.attributes:
                raise _MarkupError(tag.at, "a wall is written <wall/>, and nothing in it")
            waiting[-1].append(here)
        elif tag.alone:
            raise _MarkupError(tag.at, f"<{tag.name}/> holds no word; only <wall/> stands alone")
        elif not tag.closes:
            stack.append(_Open(tag, here))
            if tag.name == ZONE:
                waiting.append([])
        else:
            begin = _closed(stack, tag, here)
            if tag.name == ZONE:
                zones[begin.begin, here] = None
                walls += [(begin.begin, wall, here) for wall in waiting.pop() if begin.begin < wall < here]
            else:
                hints += _hints(begin.tag, begin.begin, here)
        _check_counts(tag, hints, zones, walls)
    if stack:
        raise _MarkupError(stack[-1].tag.at, f"<{stack[-1].tag.name}> is not closed")
    walls += [(0, wall, len(tokens)) for wall in waiting.pop() if 0 < wall < len(tokens)]
    if use is Use.IGNORE:
        return tokens, Marks(use=use)
    inner = [zone for zone in zones if zone != (0, len(tokens)) and zone[1] - zone[0] > 1]
    return tokens, Marks(tuple(hints), tuple(inner), tuple(dict.fromkeys(walls)), use)


def _check_counts(tag: _Tag, hints: list[Hint], *bounds: object) -> None:
    if len(hints) > MOST_HINTS:
        raise _MarkupError(tag.at, f"a sentence takes at most {MOST_HINTS:,} given translations")
    if any(len(some) > MOST_BOUNDS for some in bounds):  # type: ignore[arg-type]
        raise _MarkupError(tag.at, f"a sentence takes at most {MOST_BOUNDS:,} zones, and as many walls")


def _closed(stack: list[_Open], tag: _Tag, here: int) -> _Open:
    if not stack:
        raise _MarkupError(tag.at, f"</{tag.name}> closes what is not open")
    begin = stack.pop()
    if begin.tag.name != tag.name:
        raise _MarkupError(tag.at, f"</{tag.name}> stands where <{begin.tag.name}> of character {begin.tag.at + 1} is open")
    if begin.begin == here:
        raise _MarkupError(begin.tag.at, f"<{tag.name}> holds no word")
    return begin


def _hints(tag: _Tag, start: int, end: int) -> list[Hint]:
    """The translations that a tag gives of its words; a tag without attributes says nothing."""
    text = tag.attributes.get(TRANSLATION, tag.attributes.get(ENGLISH))
    if text is None:
        if PROBABILITY in tag.attributes:
            raise _MarkupError(tag.at, f'<{tag.name}> has a {PROBABILITY} and no translation="…"')
        return []
    if "|||" in text:
        raise _MarkupError(tag.at, "a translation cannot hold |||, which divides fields of n-best lists")
    texts = [tuple(part.split()) for part in text.split("||")]
    if not all(texts):
        raise _MarkupError(tag.at, f"a translation that <{tag.name}> gives is empty; each has a word at least")
    cells = tag.attributes.get(PROBABILITY, "||".join(["1"] * len(texts))).split("||")
    if len(cells) != len(texts):
        raise _MarkupError(tag.at, f"<{tag.name}> gives {len(texts)} translations and {len(cells)} probabilities")
    return [Hint(start, end, words, _score(tag, cell)) for words, cell in zip(texts, cells, strict=True)]


def _score(tag: _Tag, cell: str) -> float:
    try:
        probability = float(cell)
    except ValueError:
        probability = -1.0
    if not isfinite(probability) or probability < 0:
        raise _MarkupError(tag.at, f"{PROBABILITY}={cell!r} is no number from 0")
    return max(log(probability), LEAST_SCORE) if probability else LEAST_SCORE


def _tag(line: str, at: int) -> _Tag:
    """The tag that begins at ``line[at]``, a ``<``."""
    place = at + 1
    closes = line.startswith("/", place)
    begin = place = place + closes
    while place < len(line) and line[place] not in BLANKS + "<>/=\"'":
        place += 1
    name = line[begin:place]
    if not name:
        raise _MarkupError(at, "< begins no tag here; as a character of text it is &lt;")
    attributes: dict[str, str] = {}
    while True:
        while place < len(line) and line[place] in BLANKS:
            place += 1
        if line.startswith(">", place):
            return _Tag(at, name, attributes, closes, False, place + 1)
        if line.startswith("/>", place) and not closes:
            return _Tag(at, name, attributes, False, True, place + 2)
        if place >= len(line) or closes or line[place] in "<>/=\"'":
            raise _MarkupError(at, f"<{'/' if closes else ''}{name} has no > at its end; as a character of text < is &lt;")
        place = _attribute(line, place, name, attributes)


def _attribute(line: str, at: int, tag: str, attributes: dict[str, str]) -> int:
    """Read ``prob="0.5"`` at a place of a line; the place behind it."""
    place = at
    while place < len(line) and line[place] not in BLANKS + "<>/=\"'":
        place += 1
    name = line[at:place]
    quote = line[place + 1 : place + 2]
    end = line.find(quote, place + 2) if line.startswith("=", place) and quote in ('"', "'") else -1
    if end < 0:
        raise _MarkupError(at, f'{name} in <{tag}> has no value in quotes, as {TRANSLATION}="the house"')
    if name not in (TRANSLATION, ENGLISH, PROBABILITY) or tag == ZONE or name in attributes:
        accepted = "no attribute" if tag == ZONE else f"{TRANSLATION} (or {ENGLISH}) and {PROBABILITY}, once each,"
        raise _MarkupError(at, f"<{tag}> takes {accepted} and not {name}")
    attributes[name] = line[place + 2 : end]
    return end + 1
