"""N-best lists of Moses with their sources beside them; the confidence becomes one more named feature of each hypothesis."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from app.documents.document import Document, Mark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import BARS, LineFormat, refused_line
from app.errors import InputError

__all__ = ["NBest"]

# The feature's name in the spelling that newer versions of Moses write.
FEATURE: Final = "Assay="
OUR_FEATURE: Final = re.compile(r" Assay= -?[\d.]+")
HYPOTHESIS: Final = re.compile(r"\s*\d{1,9} \|\|\| [^|]*(?:\|(?!\|\|)[^|]*)* \|\|\| .* \|\|\| \s*-?[\d.eE+-]+")


class NBest(LineFormat):
    """Every hypothesis with its source; numbers of segments count from 0, in any order. Totals and order stay."""

    name: ClassVar = "n-best"
    title: ClassVar = "Moses n-best list, with its sources"
    suffix: ClassVar = "nbest"
    media_type: ClassVar = "text/plain"
    packable: ClassVar = False

    def recognises(self, sample: Sample) -> bool:
        """The first line is a hypothesis."""
        return HYPOTHESIS.match(sample.lines[0]) is not None

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every hypothesis that is not empty; InputError (`missing-evidence`) without sources."""
        if options.sources is None:
            detail = "an n-best list has no sources in it; send them too, one a line, as source"
            raise InputError("missing-evidence", detail, ("source",))
        return super().read(raw, name, options)

    def _pairs(self, lines: Sequence[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        sources = options.sources or ()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if not HYPOTHESIS.match(line):
                raise refused_line(number, name, "expected segment ||| text ||| name= score ... ||| total")
            segment, text, *_ = line.split(BARS)
            if int(segment) >= len(sources):
                detail = f"segment {int(segment)}, but there are {len(sources)} sources, numbered from 0"
                raise refused_line(number, name, detail, "unequal-lengths")
            yield Unit(joined(sources[int(segment)]), joined(text), number)

    def _marked_line(self, line: str, mark: Mark) -> str:
        parts = line.split(BARS)
        parts[2] = f"{OUR_FEATURE.sub('', parts[2])} {FEATURE} {mark.number}"
        return BARS.join(parts)
