"""Reading of Moses' markup: ``das ist ein <n translation="dwelling||house" prob="0.8||0.2">haus</n> <wall/> .``

Lines are read once from left to right. The markup is no XML: it has no entities, since text is escaped like the system's own, and a
word may not hold ``<``.
"""

from dataclasses import dataclass
from math import isfinite, log

from app.errors import InputError
from app.smt.decoder.markup.marks import Hint, Marks, MarkupUse
from app.text.tokenisation import tokens_of

__all__ = ["plain_and_marks"]

ZONE, WALL = "zone", "wall"
# ENGLISH is the older name of TRANSLATION.
TRANSLATION, ENGLISH, PROBABILITY = "translation", "english", "prob"
LOWEST_SCORE = -100.0
HINT_LIMIT = 10_000
BOUND_LIMIT = 1000
BLANKS = " \t\r\n\f\v"


@dataclass(frozen=True)
class _Tag:
    at: int
    name: str
    attributes: dict[str, str]
    closes: bool
    is_empty: bool
    end: int


@dataclass(frozen=True)
class _Open:
    tag: _Tag
    begin: int


def plain_and_marks(line: str, use: MarkupUse, name: str, number: int) -> tuple[str, Marks]:
    """Words of line `number` of a text without markup, and its marks; if markup is passed through, the line is plain text.

    InputError names line and character of wrong markup.
    """
    if use is MarkupUse.THROUGH:
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


def _read(line: str, use: MarkupUse) -> tuple[list[str], Marks]:
    tokens: list[str] = []
    stack: list[_Open] = []
    hints: list[Hint] = []
    zones: dict[tuple[int, int], None] = {}
    # Walls of each open zone; the outermost list is for the sentence.
    walls: list[tuple[int, int, int]] = []
    open_walls: list[list[int]] = [[]]
    at = 0
    while at < len(line):
        tag_at = line.find("<", at)
        tokens += tokens_of(line[at : len(line) if tag_at < 0 else tag_at])
        if tag_at < 0:
            break
        tag = _tag(line, tag_at)
        at = tag.end
        position = len(tokens)
        if tag.name == WALL:
            if not tag.is_empty or tag.attributes:
                raise _MarkupError(tag.at, "a wall takes no attribute and no word; write <wall/>")
            open_walls[-1].append(position)
        elif tag.is_empty:
            raise _MarkupError(tag.at, f"<{tag.name}/> holds no word; put words between <{tag.name}> and </{tag.name}>")
        elif not tag.closes:
            stack.append(_Open(tag, position))
            if tag.name == ZONE:
                open_walls.append([])
        else:
            opening = _close(stack, tag, position)
            if tag.name == ZONE:
                zones[opening.begin, position] = None
                walls += [(opening.begin, wall, position) for wall in open_walls.pop() if opening.begin < wall < position]
            else:
                hints += _hints(opening.tag, opening.begin, position)
        _check_counts(tag, hints, zones, walls)
    if stack:
        raise _MarkupError(
            stack[-1].tag.at, f"<{stack[-1].tag.name}> is not closed; write </{stack[-1].tag.name}> behind its words"
        )
    walls += [(0, wall, len(tokens)) for wall in open_walls.pop() if 0 < wall < len(tokens)]
    if use is MarkupUse.IGNORE:
        return tokens, Marks(use=use)
    inner = [zone for zone in zones if zone != (0, len(tokens)) and zone[1] - zone[0] > 1]
    return tokens, Marks(tuple(hints), tuple(inner), tuple(dict.fromkeys(walls)), use)


def _check_counts(tag: _Tag, hints: list[Hint], *bounds: object) -> None:
    if len(hints) > HINT_LIMIT:
        raise _MarkupError(tag.at, f"a sentence takes at most {HINT_LIMIT:,} translations in markup")
    if any(len(spans) > BOUND_LIMIT for spans in bounds):  # type: ignore[arg-type]
        raise _MarkupError(tag.at, f"a sentence takes at most {BOUND_LIMIT:,} zones and {BOUND_LIMIT:,} walls")


def _close(stack: list[_Open], tag: _Tag, position: int) -> _Open:
    if not stack:
        raise _MarkupError(tag.at, f"</{tag.name}> has no opening tag before it")
    opening = stack.pop()
    if opening.tag.name != tag.name:
        raise _MarkupError(
            tag.at, f"</{tag.name}> comes before </{opening.tag.name}>, which is open since character {opening.tag.at + 1}"
        )
    if opening.begin == position:
        raise _MarkupError(opening.tag.at, f"<{tag.name}> holds no word; remove it, or put words into it")
    return opening


def _hints(tag: _Tag, start: int, end: int) -> list[Hint]:
    """Translations of a tag's words; none for a tag without attributes."""
    text = tag.attributes.get(TRANSLATION, tag.attributes.get(ENGLISH))
    if text is None:
        if PROBABILITY in tag.attributes:
            raise _MarkupError(tag.at, f'<{tag.name}> has a {PROBABILITY} but no translation="…"')
        return []
    if "|||" in text:
        raise _MarkupError(tag.at, "a translation holds |||, which separates fields of n-best lists; remove it")
    texts = [tuple(part.split()) for part in text.split("||")]
    if not all(texts):
        raise _MarkupError(tag.at, f"a translation of <{tag.name}> is empty; write at least one word")
    cells = tag.attributes.get(PROBABILITY, "||".join(["1"] * len(texts))).split("||")
    if len(cells) != len(texts):
        raise _MarkupError(tag.at, f"<{tag.name}> has {len(texts)} translations but {len(cells)} probabilities")
    return [Hint(start, end, words, _score(tag, cell)) for words, cell in zip(texts, cells, strict=True)]


def _score(tag: _Tag, cell: str) -> float:
    try:
        probability = float(cell)
    except ValueError:
        probability = -1.0
    if not isfinite(probability) or probability < 0:
        raise _MarkupError(tag.at, f"{PROBABILITY}={cell!r} is no number of at least 0")
    return max(log(probability), LOWEST_SCORE) if probability else LOWEST_SCORE


def _tag(line: str, at: int) -> _Tag:
    """Parse the tag that begins at ``line[at]``, a ``<``."""
    position = at + 1
    closes = line.startswith("/", position)
    begin = position = position + closes
    while position < len(line) and line[position] not in BLANKS + "<>/=\"'":
        position += 1
    name = line[begin:position]
    if not name:
        raise _MarkupError(at, "this < begins no tag; write &lt; for the character")
    attributes: dict[str, str] = {}
    while True:
        while position < len(line) and line[position] in BLANKS:
            position += 1
        if line.startswith(">", position):
            return _Tag(at, name, attributes, closes, False, position + 1)
        if line.startswith("/>", position) and not closes:
            return _Tag(at, name, attributes, False, True, position + 2)
        if position >= len(line) or closes or line[position] in "<>/=\"'":
            raise _MarkupError(at, f"<{'/' if closes else ''}{name} has no > at its end; write &lt; for the character <")
        position = _attribute(line, position, name, attributes)


def _attribute(line: str, at: int, tag: str, attributes: dict[str, str]) -> int:
    """Read an attribute such as ``prob="0.5"`` at ``line[at]``, and return the position behind it."""
    position = at
    while position < len(line) and line[position] not in BLANKS + "<>/=\"'":
        position += 1
    name = line[at:position]
    quote = line[position + 1 : position + 2]
    end = line.find(quote, position + 2) if line.startswith("=", position) and quote in ('"', "'") else -1
    if end < 0:
        raise _MarkupError(at, f'{name} in <{tag}> has no value in quotes; write for example {TRANSLATION}="the house"')
    if name not in (TRANSLATION, ENGLISH, PROBABILITY) or tag == ZONE or name in attributes:
        attribute_names = "no attribute" if tag == ZONE else f"{TRANSLATION} (or {ENGLISH}) and {PROBABILITY}, once each,"
        raise _MarkupError(at, f"<{tag}> takes {attribute_names} and not {name}")
    attributes[name] = line[position + 2 : end]
    return end + 1
