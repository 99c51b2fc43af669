"""Subtitles of SubRip, and cues that WebVTT shares.

Source: SubRip, "SubRip (.srt)": a number, a timing, lines of text, an empty line. Players accept wrong numbers, and none, and a
number or a timing directly behind a text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from app.documents.strings.entry import StringEntry, StringFormat
from app.errors import InputError
from app.text.reading.encodings import refuse

__all__ = ["LINE_END", "Line", "SubRip", "line_end_of"]

MARK: Final = "\ufeff"
TIME: Final = r"(?:[0-9]{1,3}:)?[0-9]{1,2}:[0-9]{2}[.,][0-9]{1,3}"
TIMING: Final = re.compile(rf"[ \t]*+{TIME}[ \t]*+-->[ \t]*+{TIME}(?:[ \t].*+)?", re.DOTALL)
NUMBER: Final = re.compile(r"[ \t]*+[0-9]{1,9}[ \t]*+")
LINE: Final = re.compile(r"([^\r\n]*+)(?:\r\n|\r|\n|\Z)")
LINE_END: Final = re.compile(r"\r\n?|\n")


class Line(NamedTuple):
    """A line with its place, without its end."""

    text: str
    start: int
    end: int

    @property
    def is_timing(self) -> bool:
        """True for the timing of a cue, with or without settings."""
        return TIMING.fullmatch(self.text) is not None


class SubRip(StringFormat):
    """Texts of cues, with their tags."""

    name: ClassVar = "srt"
    title: ClassVar = "SubRip subtitles"
    suffixes: ClassVar = (".srt",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Texts by the running number of their cue. Translations of one film have the cues in one order."""
        lines = [Line(match[1], *match.span(1)) for match in LINE.finditer(text, len(MARK) if text.startswith(MARK) else 0)]
        entries = []
        for number, (start, end) in enumerate(self._cues(text, name, lines), 1):
            value = self._displayed_text(LINE_END.sub("\n", text[start:end]))
            if value.strip():
                entries.append(StringEntry(str(number), value, start, end))
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The text without empty lines, which would end the cue; InputError (`invalid-character`) for a timing as a line."""
        lines = [line for line in LINE_END.split(new) if not self._is_blank(line)]
        if any(TIMING.fullmatch(line) for line in lines):
            raise InputError("invalid-character", "this text has a line that is a timing; change its -->", ("text",))
        next_line = LINE_END.match(text, entry.end)
        is_before_timing = next_line is not None and _line(text, next_line.end()).is_timing
        if lines and is_before_timing and NUMBER.fullmatch(lines[-1]):
            # An empty line ends the cue, else the next one would take this number.
            lines.append("")
        return line_end_of(text).join(lines)

    def _cues(self, text: str, name: str, lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
        """Places of the texts of all cues; InputError for one without a timing in its first two lines."""
        at = self._begin(text, name, lines)
        while at < len(lines):
            if self._is_blank(lines[at].text):
                at += 1
                continue
            timing = next((place for place in (at, at + 1) if place < len(lines) and lines[place].is_timing), None)
            end = self._end(lines, (at if timing is None else timing) + 1)
            if timing is not None:
                first, last = timing + 1, self._last(lines, timing + 1, end)
                yield (lines[first].start, lines[last - 1].end) if first < last else (lines[timing].end,) * 2
            elif not self._is_note(lines[at].text):
                detail = "this cue has no timing such as 00:00:01,000 --> 00:00:02,000"
                raise refuse("invalid-document", name, detail, text, lines[min(at + 1, end - 1)].start)
            at = max(end, at + 1)

    def _begin(self, text: str, name: str, lines: Sequence[Line]) -> int:
        """The first line behind a header."""
        return 0

    def _end(self, lines: Sequence[Line], at: int) -> int:
        """The first line from `at` on that is blank or a timing."""
        while at < len(lines) and not self._is_blank(lines[at].text) and not lines[at].is_timing:
            at += 1
        return at

    def _last(self, lines: Sequence[Line], first: int, end: int) -> int:
        """The line behind a text; the number of the next cue is no part of it."""
        has_number = first < end < len(lines) and lines[end].is_timing and NUMBER.fullmatch(lines[end - 1].text)
        return end - 1 if has_number else end

    def _is_blank(self, line: str) -> bool:
        return not line.strip(" \t")

    def _is_note(self, line: str) -> bool:
        """Return True for the first line of a block that is no cue."""
        return False

    def _displayed_text(self, raw: str) -> str:
        """The text that a player shows, with its tags."""
        return raw


def line_end_of(text: str) -> str:
    """The first line end of a file."""
    match = LINE_END.search(text)
    return match[0] if match is not None else "\n"


def _line(text: str, start: int) -> Line:
    match = LINE.match(text, start)
    assert match is not None
    return Line(match[1], *match.span(1))
