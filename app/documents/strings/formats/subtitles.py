"""Subtitles: SubRip and WebVTT.

Sources: SubRip, "SubRip (.srt)"; W3C, "WebVTT: The Web Video Text Tracks Format".
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.text.reading.encodings import refuse

__all__ = ["SubRip", "WebVtt"]

TIME: Final = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
TIMING: Final = re.compile(rf"[ \t]*+{TIME}[ \t]*+-->[ \t]*+{TIME}(?:[ \t][^\n]*+)?\r?")
BLOCK: Final = re.compile(r"(?:(?!\r?\n[ \t]*+\r?(?:\n|\Z)).)*+", re.DOTALL)
BLANK_LINES: Final = re.compile(r"(?:[ \t]*+\r?\n)*+")
OTHER_BLOCKS: Final = ("NOTE", "STYLE", "REGION", "WEBVTT")
EMPTY_LINES: Final = re.compile(r"\n(?:[ \t]*+\n)++")


class SubRip(StringFormat):
    """Texts of cues, with their tags."""

    name: ClassVar = "srt"
    title: ClassVar = "SubRip subtitles"
    suffixes: ClassVar = (".srt",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Texts by the running number of their cue. Translations of one film have the cues in one order."""
        entries: list[StringEntry] = []
        at, cue_count = _behind_blank_lines(text, 1 if text.startswith("\ufeff") else 0), 0
        while at < len(text):
            end = BLOCK.match(text, at).end()  # type: ignore[union-attr]
            if not (self.name == "vtt" and text.startswith(OTHER_BLOCKS, at)):
                cue_count += 1
                start = _begin_of_text(text, at, end, name)
                value = text[start:end].replace("\r\n", "\n").rstrip("\r")
                if value.strip():
                    entries.append(StringEntry(str(cue_count), value, start, end))
            at = _behind_blank_lines(text, end + text.startswith("\r", end) + 1)
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The text without empty lines, which would end the cue."""
        return EMPTY_LINES.sub("\n", new.strip("\n"))


class WebVtt(SubRip):
    """Texts of cues, without notes, styles and regions."""

    name: ClassVar = "vtt"
    title: ClassVar = "WebVTT subtitles"
    suffixes: ClassVar = (".vtt",)


def _begin_of_text(text: str, at: int, end: int, name: str) -> int:
    """Begin of a cue's text, behind its timing; InputError for a cue without one in its first two lines."""
    for _ in range(2):
        line_end = text.find("\n", at, end)
        line_end = end if line_end < 0 else line_end
        if TIMING.fullmatch(text, at, line_end):
            return min(line_end + 1, end)
        at = min(line_end + 1, end)
    raise refuse("invalid-document", name, "this cue has no timing such as 00:00:01,000 --> 00:00:02,000", text, at)


def _behind_blank_lines(text: str, at: int) -> int:
    return BLANK_LINES.match(text, at).end()  # type: ignore[union-attr]
