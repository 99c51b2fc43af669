"""N-best lists of Moses with separate sources; annotation adds the confidence as a feature of each hypothesis."""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from app.documents.document import Document, QualityMark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import LineFormat, refused_line
from app.documents.retexting import Edit, plain_edits
from app.errors import InputError
from app.text.reading.lines import filled_lines
from app.text.reading.moses_n_best import n_best_line

__all__ = ["NBest"]

# The feature's name, spelled as newer versions of Moses write names.
FEATURE: Final = "Assay="
OUR_FEATURE: Final = re.compile(r" Assay= -?[\d.]+")
SEPARATOR: Final = "|||"


class NBest(LineFormat):
    """Each hypothesis with the source of its segment number (from 0, any order). Totals and order do not change."""

    name: ClassVar = "n-best"
    title: ClassVar = "Moses n-best list with sources"
    suffix: ClassVar = "nbest"
    media_type: ClassVar = "text/plain"
    packable: ClassVar = False

    def recognises(self, sample: Sample) -> bool:
        """Return True if the first line is a hypothesis."""
        return n_best_line(sample.lines[0]) is not None

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read every hypothesis that is not empty; InputError (`missing-evidence`) without sources."""
        if options.sources is None:
            detail = "an n-best list contains no sources; send them as source, one per line"
            raise InputError("missing-evidence", detail, ("source",))
        return super().read(raw, name, options)

    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        sources = options.sources or ()
        for number, line in filled_lines(lines, name):
            if not line.strip():
                continue
            hypothesis = n_best_line(line)
            if hypothesis is None:
                raise refused_line(number, name, "expected segment ||| text ||| name= score ... ||| total")
            if hypothesis.segment >= len(sources):
                detail = f"segment {hypothesis.segment} has no source: there are {len(sources)}, numbered from 0"
                raise refused_line(number, name, detail, "unequal-lengths")
            yield Unit(joined(sources[hypothesis.segment]), joined(hypothesis.text), number)

    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        number, hypothesis, *_ = text[begin:end].split(SEPARATOR)
        at = begin + len(number) + len(SEPARATOR)
        return None if "|" in new else plain_edits(text, at, at + len(hypothesis), new)

    def _marked_line(self, line: str, mark: QualityMark) -> str:
        cells = line.split(SEPARATOR)
        features = cells[2].rstrip()
        blanks = cells[2][len(features) :]
        cells[2] = f"{OUR_FEATURE.sub('', features)} {FEATURE} {mark.number}{blanks}"
        return SEPARATOR.join(cells)
