"""Lines of ``source ||| translation``; the confidence becomes a third part."""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from app.documents.document import QualityMark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import BARS, LineFormat, refused_line
from app.documents.retexting import Edit, plain_edits
from app.text.reading.lines import filled_lines

__all__ = ["Bars"]

QUALITY_BAR: Final = re.compile(r" \|\|\| [01]\.\d{4}$")


class Bars(LineFormat):
    """Lines of two texts, the input of aligners."""

    name: ClassVar = "bars"
    title: ClassVar = "source ||| translation"
    suffix: ClassVar = "txt"
    media_type: ClassVar = "text/plain"

    def recognises(self, sample: Sample) -> bool:
        """Return True if every line has two parts, or a third one that Assay wrote."""
        return all(len(_parts(line)) == 2 for line in sample.lines)

    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        for number, line in filled_lines(lines, name):
            if not line.strip():
                continue
            parts = _parts(line.removesuffix("\r"))
            if len(parts) != 2:
                raise refused_line(number, name, "write source ||| translation")
            yield Unit(joined(parts[0]), joined(parts[1]), number)

    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        line = QUALITY_BAR.sub("", text[begin:end].removesuffix("\r"))
        at = begin + line.index(BARS) + len(BARS)
        return None if "|" in new else plain_edits(text, at, begin + len(line), new)

    def _marked_line(self, line: str, mark: QualityMark) -> str:
        return QUALITY_BAR.sub("", line) + BARS + mark.number


def _parts(line: str) -> list[str]:
    return QUALITY_BAR.sub("", line).split(BARS, 2)
