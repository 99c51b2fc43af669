"""New translations in documents: only characters that differ are written, escaped as the format requires.

A translation is a sequence of letters with their positions in the file. Tags and the like, which must stay, divide it into runs.
A new text fits if every difference lies within one run.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import Final

from app.running.deadline import awaited
from app.text.reading.encodings import place_of

__all__ = [
    "NO_RUN",
    "Edit",
    "LetterChange",
    "PlacedLetters",
    "Retext",
    "Revision",
    "add_spelled",
    "apply_edits",
    "changes",
    "edits_of",
    "edits_of_units",
    "plain_edits",
]  # fmt: skip

# The search for unchanged runs takes time that grows with their number.
MOST_RUNS: Final = 50
MOST_WORDS: Final = 100
WORD: Final = re.compile(r"\w+")
BLANKS_OR_NOT: Final = re.compile(r"\s++|\S++")
# Run of a letter that is no text in the file, as a blank for a line-break tag.
NO_RUN: Final = -1


@dataclass(frozen=True)
class Revision:
    """New text of a translation, and the time of the change in seconds since 1970."""

    text: str
    changed: float = 0.0


# Function: texts by numbers of units -> the file with them, and the numbers of units that cannot hold theirs.
Retext = Callable[[Mapping[int, Revision]], tuple[bytes, frozenset[int]]]


class PlacedLetters:
    """A text in one line as letters, each with its position `[start, end)` in the file, and its run.

    As in units, one blank stands for a run of blanks, and none is at the ends. Further blanks take no memory, since a file may
    have millions.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.starts, self.ends, self.runs = array("q"), array("q"), array("q")
        self._blank: tuple[int, int, int] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def text(self) -> str:
        """Text of the letters; read it after the last `add`."""
        return "".join(self._pieces)

    @cached_property
    def run_bounds(self) -> list[tuple[int, int]]:
        """Begin and end of each run among the letters; read it after the last `add`."""
        begins = [0, *(place for place in range(1, len(self)) if self.runs[place] != self.runs[place - 1])]
        return list(zip(begins, [*begins[1:], len(self)], strict=True))

    def add(self, text: str, start: int, end: int, run: int = 0) -> None:
        """Add a part of a file without escapes."""
        for match in BLANKS_OR_NOT.finditer(text, start, end):
            first, last = match.span()
            if text[first].isspace():
                self.add_one(" ", first, first + 1, run)
            else:
                self._add(match[0], range(first, last), range(first + 1, last + 1), repeat(run, last - first))

    def add_one(self, letter: str, start: int, end: int, run: int) -> None:
        """Add one letter or blank, which may be escaped in the file; `run` is `NO_RUN` if it is no text there."""
        if letter and not letter.isspace():
            self._add(letter, (start,), (end,), (run,))
        # A blank of the text replaces a blank from a tag, since it can be changed.
        elif letter and (self._blank is None or self._blank[2] == NO_RUN):
            self._blank = (start, end, run)

    def take(self, letters: "PlacedLetters", begin: int, end: int, further: int) -> None:
        """Add letters `[begin, end)` of `letters`, with `further` added to their runs."""
        for match in BLANKS_OR_NOT.finditer(letters.text, begin, end):
            first, last = match.span()
            runs = [run if run == NO_RUN else run + further for run in letters.runs[first:last]]
            if match[0] == " ":
                self.add_one(" ", letters.starts[first], letters.ends[first], runs[0])
            else:
                self._add(match[0], letters.starts[first:last], letters.ends[first:last], runs)

    def _add(self, text: str, starts: Iterable[int], ends: Iterable[int], runs: Iterable[int]) -> None:
        if self._blank is not None and self.starts:
            blank, self._blank = self._blank, None
            self._add(" ", *((number,) for number in blank))
        self._blank = None
        self._pieces.append(text)
        self.starts.extend(starts)
        self.ends.extend(ends)
        self.runs.extend(runs)


@dataclass(frozen=True)
class Edit:
    """Characters `[start, end)` become `text`; an insertion if `start` equals `end`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class LetterChange:
    """Characters `[start, end)` of the file become `text`, which is not yet escaped."""

    start: int
    end: int
    text: str
    run: int


def add_spelled(
    letters: PlacedLetters, text: str, start: int, end: int, escape: "re.Pattern[str]", read: Callable[[str], str], run: int = 0
) -> None:
    """Add a part of a file with escapes: each match of `escape` is the letter `read(match)`."""
    at = start
    for match in escape.finditer(text, start, end):
        letters.add(text, at, match.start(), run)
        letters.add_one(read(match[0]), match.start(), match.end(), run)
        at = match.end()
    letters.add(text, at, end, run)


def changes(letters: PlacedLetters, new: str) -> list[LetterChange] | None:
    """Changes that turn the letters into another text; None if a difference spans two runs (a run is text between tags)."""
    old = letters.text
    # An escape of several letters, or of none, cannot be matched to letters.
    if not letters or len(old) != len(letters) or len(set(letters.runs)) > MOST_RUNS:
        return None
    results: list[LetterChange] = []
    return results if _change(letters, (0, len(old)), new, (0, len(new)), results) else None


def _change(letters: PlacedLetters, part: tuple[int, int], new: str, into: tuple[int, int], results: list[LetterChange]) -> bool:
    """Collect changes from a part of the old text to a part of the new one; return False if that is impossible."""
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
            results.append(change)
        return change is not None
    for run_begin, run_end in _anchors(letters, begin, end):
        text = old[run_begin:run_end]
        at = new.find(text, first, last)
        is_unique = at >= 0 and new.find(text, at + 1, last) < 0
        if is_unique and old.find(text, run_end, end) < 0 and old.find(text, begin, run_begin) < 0:
            before_fits = _change(letters, (begin, run_begin), new, (first, at), results)
            return before_fits and _change(letters, (run_end, end), new, (at + len(text), last), results)
    return False


def _within_one(letters: PlacedLetters, begin: int, end: int, text: str) -> LetterChange | None:
    """Change of letters of one run; an insertion extends the letter before it, else the letter after it."""
    if begin < end:
        return LetterChange(letters.starts[begin], letters.ends[end - 1], text, letters.runs[begin])
    for place, places in ((begin - 1, letters.ends), (begin, letters.starts)):
        if 0 <= place < len(letters) and (run := letters.runs[place]) != NO_RUN:
            return LetterChange(places[place], places[place], text, run)
    return None


def _anchors(letters: PlacedLetters, begin: int, end: int) -> list[tuple[int, int]]:
    """Complete runs in a part, without blanks at their ends, and words if these are few; the longest first."""
    old = letters.text
    words = list(islice(WORD.finditer(old, begin, end), MOST_WORDS + 1))
    spans = [match.span() for match in words if len(words) <= MOST_WORDS]
    # A word with a tag inside is no anchor.
    spans = [(left, right) for left, right in spans if len(set(letters.runs[left:right])) == 1]
    for first, last in letters.run_bounds:
        left, right = max(first, begin), min(last, end)
        # A run has at most one blank at each end.
        left += left < right and old[left] == " "
        right -= left < right and old[right - 1] == " "
        if left < right:
            spans.append((left, right))
    return sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def edits_of(letters: PlacedLetters, new: str, spell: Callable[[str], str] = str) -> list[Edit] | None:
    """Edits that turn the letters into another text, escaped by `spell`; None if a difference spans two runs."""
    text_changes = changes(letters, new)
    return None if text_changes is None else [Edit(change.start, change.end, spell(change.text)) for change in text_changes]


def plain_edits(text: str, start: int, end: int, new: str) -> list[Edit] | None:
    """Edits that turn a part of a file without escapes into another text; None if that is impossible."""
    letters = PlacedLetters()
    letters.add(text, start, end)
    return edits_of(letters, new)


def edits_of_units(
    texts: Mapping[int, Revision], edits_of_unit: Callable[[int, Revision], list[Edit] | None]
) -> tuple[list[Edit], frozenset[int]]:
    """Edits for new texts of units, and the units that cannot hold theirs, since their edits are None."""
    edits: list[Edit] = []
    failures: set[int] = set()
    for number, revision in awaited(texts.items()):
        unit_edits = edits_of_unit(number, revision)
        if unit_edits is None:
            failures.add(number)
        else:
            edits += unit_edits
    return edits, frozenset(failures)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Text after all edits, which may not overlap; insertions at one position keep their order."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            line, column = place_of(text, edit.start)
            raise AssertionError(f"edits overlap at line {line}, column {column}")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
