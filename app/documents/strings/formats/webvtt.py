"""Subtitles of WebVTT.

Source: W3C, "WebVTT: The Web Video Text Tracks Format", section 6 (parsing). A block is a cue if its first or second line is a
timing. Texts have references of HTML outside of tags. Only an empty line ends a cue.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry
from app.documents.strings.formats.subtitles import LINE_END, Line, SubRip, line_end_of
from app.text.reading.encodings import refuse

__all__ = ["WebVtt"]

HEADER: Final = re.compile(r"WEBVTT(?:[ \t].*+)?", re.DOTALL)
NOTE: Final = re.compile(r"NOTE(?:[ \t].*+)?|(?:STYLE|REGION)[ \t]*+", re.DOTALL)
# A tag of WebVTT or a timestamp, without the arrow of a timing.
TAG: Final = re.compile(r"</?(?:[cibuv]|ruby|rt|lang)(?:[. \t][^<>\r\n]*+)?(?<!--)>|<[0-9:.]++>")
# Line ends that would leave an empty line.
LOOSE_LINE_END: Final = re.compile(r"\A\n|(?<=\n)\n|\n\Z")


class WebVtt(SubRip):
    """Texts of cues with their tags, without notes, styles and regions."""

    name: ClassVar = "vtt"
    title: ClassVar = "WebVTT subtitles"
    suffixes: ClassVar = (".vtt",)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References for signs of markup and for empty lines. Tags stay tags, unless the old text spells < as a reference."""
        old = text[entry.start : entry.end]
        old_tags = set(TAG.findall(old)) if "&lt;" in old else None
        pieces, at = [], 0
        plain = LINE_END.sub("\n", new)
        for tag in TAG.finditer(plain):
            if old_tags is None or tag[0] in old_tags:
                pieces += [_with_references(plain[at : tag.start()]), tag[0]]
                at = tag.end()
        spelling = "".join([*pieces, _with_references(plain[at:])])
        return LOOSE_LINE_END.sub("&#10;", spelling).replace("\n", line_end_of(text))

    def _begin(self, text: str, name: str, lines: Sequence[Line]) -> int:
        if not HEADER.fullmatch(lines[0].text):
            raise refuse("invalid-document", name, "this file does not begin with WEBVTT", text, lines[0].start)
        return self._end(lines, 1)

    def _last(self, lines: Sequence[Line], first: int, end: int) -> int:
        return end

    def _is_blank(self, line: str) -> bool:
        return not line

    def _is_note(self, line: str) -> bool:
        return NOTE.fullmatch(line) is not None

    def _displayed_text(self, raw: str) -> str:
        pieces, at = [], 0
        for tag in TAG.finditer(raw):
            pieces += [unescape(raw[at : tag.start()]), tag[0]]
            at = tag.end()
        # A reference may be a line end too.
        return LINE_END.sub("\n", "".join([*pieces, unescape(raw[at:])]))


def _with_references(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("-->", "--&gt;")
