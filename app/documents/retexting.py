"""Other texts in place of a document's translations: only the characters that differ are written, in the spelling of the format.

A translation is a row of letters with their places in the file, in runs between which something stands that must stay, as tags.
A text is put in its place where every difference lies within one run.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import Final

__all__ = ["NO_RUN", "Change", "Letters", "Retext", "Revised", "add_spelled", "changes", "plain_changes"]

# Finding where unchanged runs are again takes time that grows with their number.
MOST_RUNS: Final = 50
MOST_WORDS: Final = 100
WORD: Final = re.compile(r"\w+")
BLANKS_OR_NOT: Final = re.compile(r"\s++|\S++")
# The run of what is no text itself, as a blank that a tag stands for.
NO_RUN: Final = -1


@dataclass(frozen=True)
class Revised:
    """What is to stand in place of a translation, and since when, in seconds since 1970."""

    text: str
    changed: float = 0.0


# A document's bytes with other texts at these places among its units, and those places whose text could not be put there.
Retext = Callable[[Mapping[int, Revised]], tuple[bytes, frozenset[int]]]


class Letters:
    """A text in one line as a row of letters, each with the place `[start, end)` where the file spells it, and its run.

    There is one blank wherever the file has several, and none at the ends: as a document's units have them. Rows of numbers hold
    them, and nothing is kept of further blanks, which a file may have by the million.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.starts, self.ends, self.runs = array("q"), array("q"), array("q")
        self._blank: tuple[int, int, int] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def text(self) -> str:
        """What they spell, once all are there."""
        return "".join(self._pieces)

    @cached_property
    def stretches(self) -> list[tuple[int, int]]:
        """Where the letters of each run begin and end, once all are there."""
        begins = [0, *(place for place in range(1, len(self)) if self.runs[place] != self.runs[place - 1])]
        return list(zip(begins, [*begins[1:], len(self)], strict=True))

    def add(self, text: str, start: int, end: int, run: int = 0) -> None:
        """A part of a file in which every character stands for itself."""
        for match in BLANKS_OR_NOT.finditer(text, start, end):
            first, last = match.span()
            if text[first].isspace():
                self.add_one(" ", first, first + 1, run)
            else:
                self._add(match[0], range(first, last), range(first + 1, last + 1), repeat(run, last - first))

    def add_one(self, letter: str, start: int, end: int, run: int) -> None:
        """One letter that is spelled by as many characters as may be, a blank too; `run` is `NO_RUN` where it is no text itself."""
        if letter and not letter.isspace():
            self._add(letter, (start,), (end,), (run,))
        # One that may be changed, rather than one that a tag stands for.
        elif letter and (self._blank is None or self._blank[2] == NO_RUN):
            self._blank = (start, end, run)

    def take(self, other: "Letters", begin: int, end: int, further: int) -> None:
        """Letters of another row, their runs numbered so many further on."""
        for match in BLANKS_OR_NOT.finditer(other.text, begin, end):
            first, last = match.span()
            runs = [run if run == NO_RUN else run + further for run in other.runs[first:last]]
            if match[0] == " ":
                self.add_one(" ", other.starts[first], other.ends[first], runs[0])
            else:
                self._add(match[0], other.starts[first:last], other.ends[first:last], runs)

    def _add(self, text: str, starts: Iterable[int], ends: Iterable[int], runs: Iterable[int]) -> None:
        if self._blank is not None and self.starts:
            blank, self._blank = self._blank, None
            self._add(" ", *((number,) for number in blank))
        self._blank = None
        self._pieces.append(text)
        self.starts.extend(starts)
        self.ends.extend(ends)
        self.runs.extend(runs)


@dataclass(frozen=True, slots=True)
class Change:
    """The characters from `start` to `end` of the file become `text`, which is not spelled as the format has it yet."""

    start: int
    end: int
    text: str
    run: int


def add_spelled(
    letters: Letters, text: str, start: int, end: int, escape: "re.Pattern[str]", read: Callable[[str], str], run: int = 0
) -> None:
    """Add a part of a file, in which whatever `escape` finds stands for the letter that `read` says."""
    at = start
    for match in escape.finditer(text, start, end):
        letters.add(text, at, match.start(), run)
        letters.add_one(read(match[0]), match.start(), match.end(), run)
        at = match.end()
    letters.add(text, at, end, run)


def changes(letters: Letters, new: str) -> list[Change] | None:
    """What makes these letters another text; None where a difference spans what must stay between runs."""
    old = letters.text
    # What spells more than one letter, or none, is nothing that is put elsewhere.
    if not letters or len(old) != len(letters) or len(set(letters.runs)) > MOST_RUNS:
        return None
    collected: list[Change] = []
    return collected if _change(letters, (0, len(old)), new, (0, len(new)), collected) else None


def _change(letters: Letters, part: tuple[int, int], new: str, into: tuple[int, int], collected: list[Change]) -> bool:
    """Collect the changes of a part of the old text into a part of the new one; False where that cannot be done."""
    old, (begin, end), (first, last) = letters.text, part, into
    while begin < end and first < last and old[begin] == new[first]:
        begin, first = begin + 1, first + 1
    while end > begin and last > first and old[end - 1] == new[last - 1]:
        end, last = end - 1, last - 1
    if begin == end and first == last:
        return True
    runs = set(letters.runs[begin:end])
    if len(runs) <= 1 and NO_RUN not in runs:
        change = _within_one(letters, begin, end, new[first:last])
        if change is not None:
            collected.append(change)
        return change is not None
    for run_begin, run_end in _anchors(letters, begin, end):
        text = old[run_begin:run_end]
        at = new.find(text, first, last)
        once = at >= 0 and new.find(text, at + 1, last) < 0
        if once and old.find(text, run_end, end) < 0 and old.find(text, begin, run_begin) < 0:
            left = _change(letters, (begin, run_begin), new, (first, at), collected)
            return left and _change(letters, (run_end, end), new, (at + len(text), last), collected)
    return False


def _within_one(letters: Letters, begin: int, end: int, text: str) -> Change | None:
    """The change of letters of one run; what is only added goes to the letter before it, or else behind it."""
    if begin < end:
        return Change(letters.starts[begin], letters.ends[end - 1], text, letters.runs[begin])
    for place, places in ((begin - 1, letters.ends), (begin, letters.starts)):
        if 0 <= place < len(letters) and (run := letters.runs[place]) != NO_RUN:
            return Change(places[place], places[place], text, run)
    return None


def _anchors(letters: Letters, begin: int, end: int) -> list[tuple[int, int]]:
    """Whole runs that lie in a part, without blanks at their ends, and words where these are few; the longest first."""
    old = letters.text
    words = list(islice(WORD.finditer(old, begin, end), MOST_WORDS + 1))
    spans = [match.span() for match in words if len(words) <= MOST_WORDS]
    # A word that tags cut is none that can stay where it is.
    spans = [(left, right) for left, right in spans if len(set(letters.runs[left:right])) == 1]
    for first, last in letters.stretches:
        left, right = max(first, begin), min(last, end)
        # There is never more than one.
        left += left < right and old[left] == " "
        right -= left < right and old[right - 1] == " "
        if left < right:
            spans.append((left, right))
    return sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def plain_changes(text: str, start: int, end: int, new: str) -> list[Change] | None:
    """What makes a part of a file, in which every character stands for itself, another text."""
    letters = Letters()
    letters.add(text, start, end)
    return changes(letters, new)
