"""JSON lines: objects with a source and a translation; a mark is a last member, ``assay``."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from app.documents.document import QualityMark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import LineFormat, refused_line
from app.documents.retexting import Edit, PlacedLetters, add_spelled, edits_of
from app.text.reading.encodings import DecodedText
from app.text.reading.headers import MOST_COLUMNS, pair_columns
from app.text.reading.objects import object_lines

__all__ = ["JsonLines"]

KEY: Final = "assay"
MARK_MEMBER: Final = re.compile(r',\s*"assay":\s*\{[^{}]*\}(?=\s*\}\s*$)')
# An escape: a code point, a surrogate pair, or a sign.
ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])")
BLANKS: Final = re.compile(r"[ \t\r\n]*+")
FORBIDDEN_CHARACTER: Final = re.compile("[\0\ud800-\udfff]")


class JsonLines(LineFormat):
    """Objects with a source and a translation, under any of the names of columns."""

    name: ClassVar = "jsonl"
    title: ClassVar = "JSON lines"
    suffix: ClassVar = "jsonl"
    media_type: ClassVar = "application/x-ndjson"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the first line begins like an object."""
        return sample.holds_objects

    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        for number, row in object_lines(lines, name):
            if len(row) > MOST_COLUMNS:
                raise refused_line(number, name, f"an object has more than {MOST_COLUMNS} members")
            places = pair_columns(list(row))
            if places is None:
                raise refused_line(number, name, "write an object with source and translation")
            source, translation = (list(row.values())[k] for k in places)
            if not isinstance(source, str) or not isinstance(translation, str):
                raise refused_line(number, name, "source and translation must be text")
            # JSON can escape characters that text may not hold.
            if FORBIDDEN_CHARACTER.search(source + translation):
                raise refused_line(number, name, "this line has a NUL or a lone surrogate; remove it", "invalid-character")
            yield Unit(joined(source), joined(translation), number)

    def _comments(self, file: DecodedText) -> Callable[[str], bool]:
        # Comments are escaped to ASCII.
        return lambda comment: True

    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        # As in Python's json, the last of two members with one name counts, at the position of the first.
        members = {name: place for name, *place in _members(text[begin:end])}
        columns = pair_columns(list(members))
        assert columns is not None
        first, last = list(members.values())[columns[1]]
        # Inside the quotes.
        first, last = begin + first + 1, begin + last - 1
        letters = PlacedLetters()
        add_spelled(letters, text, first, last, ESCAPE, _read)
        uses_numbers = "\\u" in text[first:last]
        return edits_of(letters, new, lambda text: json.dumps(text, ensure_ascii=uses_numbers)[1:-1])

    def _marked_line(self, line: str, mark: QualityMark) -> str:
        members: Mapping[str, Any] = {
            "quality": round(mark.confidence, 4), "score": round(mark.score, 6), "low": round(mark.low, 6),
            "high": round(mark.high, 6), "label": mark.label, "model": mark.model, "band": mark.band,
            "warnings": " ".join(mark.warnings), **({"correction": mark.comment} if mark.comment else {}),
        }  # fmt: skip
        bare_line = MARK_MEMBER.sub("", line)
        cut = bare_line.rindex("}")
        return f'{bare_line[:cut]}, "{KEY}": {_braceless(json.dumps(members))}{bare_line[cut:]}'


def _members(line: str) -> Iterator[tuple[str, int, int]]:
    """Members of a valid object: the name of each, and the begin and end of its value."""
    decoder = json.JSONDecoder()
    at = line.index("{") + 1
    while True:
        at = _skip_blanks(line, at)
        if line[at] == "}":
            return
        name, at = decoder.raw_decode(line, at)
        at = _skip_blanks(line, _skip_blanks(line, at) + 1)
        _, end = decoder.raw_decode(line, at)
        yield name, at, end
        at = _skip_blanks(line, end)
        at += line[at] == ","


def _skip_blanks(line: str, at: int) -> int:
    match = BLANKS.match(line, at)
    assert match is not None
    return match.end()


def _read(escape: str) -> str:
    return str(json.loads(f'"{escape}"'))


def _braceless(members: str) -> str:
    """Object without braces in its texts, so that a later replacement finds its end."""
    return "{" + members[1:-1].replace("{", "\\u007b").replace("}", "\\u007d") + "}"
