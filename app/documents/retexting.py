"""Other texts in place of a document's translations: only the characters that differ are written, in the spelling of the format.

A translation is a row of letters with their places in the file, in runs between which something stands that must stay, as tags.
A text is put in its place where every difference lies within one run.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Change", "Letter", "Retext", "Revised", "changes", "collapsed", "plain_changes", "spelled"]

# Finding where unchanged runs are again takes time that grows with their number.
MOST_RUNS: Final = 50
MOST_WORDS: Final = 100
WORD: Final = re.compile(r"\w+")
NOTHING: Final = re.compile(r"(?!)")


@dataclass(frozen=True)
class Revised:
    """What is to stand in place of a translation, and since when, in seconds since 1970."""

    text: str
    changed: float = 0.0


# A document's bytes with other texts at these places among its units, and those places whose text could not be put there.
Retext = Callable[[Mapping[int, Revised]], tuple[bytes, frozenset[int]]]


@dataclass(frozen=True, slots=True)
class Letter:
    """A character of a text, spelled at `[start, end)` of the file, and the run that it is in; None where it is no text itself."""

    text: str
    start: int
    end: int
    run: int | None = 0


@dataclass(frozen=True, slots=True)
class Change:
    """The characters from `start` to `end` of the file become `text`, which is not spelled as the format has it yet."""

    start: int
    end: int
    text: str
    run: int


def spelled(
    text: str, start: int, end: int, escape: "re.Pattern[str]", read: Callable[[str], str], run: int = 0
) -> Iterator[Letter]:
    """The letters of a part of a file, in which whatever `escape` finds stands for the character that `read` says."""
    at = start
    for match in escape.finditer(text, start, end):
        for place in range(at, match.start()):
            yield Letter(text[place], place, place + 1, run)
        yield Letter(read(match[0]), match.start(), match.end(), run)
        at = match.end()
    for place in range(at, end):
        yield Letter(text[place], place, place + 1, run)


def collapsed(letters: Iterable[Letter]) -> list[Letter]:
    """The same with one blank wherever there were several, and none at the ends: as a document's units have them."""
    kept: list[Letter] = []
    blank: Letter | None = None
    for letter in letters:
        if letter.text.isspace() or not letter.text:
            # One that may be changed, rather than one that a tag stands for.
            blank = letter if letter.text and (blank is None or blank.run is None) else blank
            continue
        if blank is not None and kept:
            kept.append(Letter(" ", blank.start, blank.end, blank.run))
        blank = None
        kept.append(letter)
    return kept


def changes(letters: Sequence[Letter], new: str) -> list[Change] | None:
    """What makes these letters, which are `collapsed`, another text; None where a difference spans what must stay between runs."""
    runs = {letter.run for letter in letters}
    if not letters or len(runs) > MOST_RUNS:
        return None
    old = "".join(letter.text for letter in letters)
    if len(old) != len(letters):
        return None
    collected: list[Change] = []
    return collected if _change(letters, old, (0, len(old)), new, (0, len(new)), collected) else None


def _change(
    letters: Sequence[Letter], old: str, part: tuple[int, int], new: str, into: tuple[int, int], collected: list[Change]
) -> bool:
    """Collect the changes of a part of the old text into a part of the new one; False where that cannot be done."""
    (begin, end), (first, last) = part, into
    while begin < end and first < last and old[begin] == new[first]:
        begin, first = begin + 1, first + 1
    while end > begin and last > first and old[end - 1] == new[last - 1]:
        end, last = end - 1, last - 1
    if begin == end and first == last:
        return True
    runs = {letter.run for letter in letters[begin:end]}
    if len(runs) <= 1 and None not in runs:
        change = _within_one(letters, begin, end, new[first:last])
        if change is not None:
            collected.append(change)
        return change is not None
    for run_begin, run_end in _anchors(letters, old, begin, end):
        text = old[run_begin:run_end]
        at = new.find(text, first, last)
        once = at >= 0 and new.find(text, at + 1, last) < 0
        if once and old.find(text, run_end, end) < 0 and old.find(text, begin, run_begin) < 0:
            left = _change(letters, old, (begin, run_begin), new, (first, at), collected)
            return left and _change(letters, old, (run_end, end), new, (at + len(text), last), collected)
    return False


def _within_one(letters: Sequence[Letter], begin: int, end: int, text: str) -> Change | None:
    """The change of letters of one run; what is only added goes to the letter before it, or else behind it."""
    if begin < end:
        run = letters[begin].run
        return None if run is None else Change(letters[begin].start, letters[end - 1].end, text, run)
    for place, at in ((begin - 1, "end"), (begin, "start")):
        if 0 <= place < len(letters) and (run := letters[place].run) is not None:
            where = getattr(letters[place], at)
            return Change(where, where, text, run)
    return None


def _anchors(letters: Sequence[Letter], old: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Whole runs that lie in a part, without blanks at their ends, and words where these are few; the longest first."""
    words = list(WORD.finditer(old, begin, end))
    spans = [match.span() for match in words if len(words) <= MOST_WORDS]
    # A word that tags cut is none that can stay where it is.
    spans = [(left, right) for left, right in spans if len({letter.run for letter in letters[left:right]}) == 1]
    start = begin
    for place in range(begin + 1, end + 1):
        if place == end or letters[place].run != letters[start].run:
            left, right = start, place
            while left < right and old[left] == " ":
                left += 1
            while right > left and old[right - 1] == " ":
                right -= 1
            if left < right:
                spans.append((left, right))
            start = place
    return sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def plain_changes(text: str, start: int, end: int, new: str) -> list[Change] | None:
    """What makes a part of a file, in which every character stands for itself, another text."""
    return changes(collapsed(spelled(text, start, end, NOTHING, str)), new)
