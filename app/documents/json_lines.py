"""JSON lines: an object with a source and a translation on each; marks are one more member, ``assay``, at its end."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from app.documents.document import Mark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import LineFormat, refused_line
from app.text.reading.headers import pair_columns
from app.text.reading.objects import object_lines

__all__ = ["JsonLines"]

KEY: Final = "assay"
OUR_OBJECT: Final = re.compile(r',\s*"assay":\s*\{[^{}]*\}(?=\s*\}\s*$)')
IMPOSSIBLE: Final = re.compile("[\0\ud800-\udfff]")


class JsonLines(LineFormat):
    """Objects whose source and translation have any of the names that columns have."""

    name: ClassVar = "jsonl"
    title: ClassVar = "JSON lines"
    suffix: ClassVar = "jsonl"
    media_type: ClassVar = "application/x-ndjson"

    def recognises(self, sample: Sample) -> bool:
        """The first line begins as an object does."""
        return sample.holds_objects

    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        for number, row in object_lines(lines, name):
            places = pair_columns(list(row))
            if places is None:
                raise refused_line(number, name, "expected an object with source and translation")
            source, translation = (list(row.values())[k] for k in places)
            if not isinstance(source, str) or not isinstance(translation, str):
                raise refused_line(number, name, "source and translation must be text")
            # JSON can spell what text cannot hold.
            if IMPOSSIBLE.search(source + translation):
                raise refused_line(number, name, "there is a NUL or a lone surrogate", "invalid-character")
            yield Unit(joined(source), joined(translation), number)

    def _marked_line(self, line: str, mark: Mark) -> str:
        members: Mapping[str, Any] = {
            "quality": round(mark.confidence, 4), "score": round(mark.score, 6), "low": round(mark.low, 6),
            "high": round(mark.high, 6), "label": mark.label, "model": mark.model, "band": mark.band,
            "warnings": " ".join(mark.warnings),
        }  # fmt: skip
        own = OUR_OBJECT.sub("", line)
        cut = own.rindex("}")
        return f'{own[:cut]}, "{KEY}": {json.dumps(members)}{own[cut:]}'
