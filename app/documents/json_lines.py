"""JSON lines: an object with a source and a translation on each; marks are one more member, ``assay``, at its end."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from app.documents.document import Mark, Unit, joined
from app.documents.format import ReadOptions, Sample
from app.documents.line_format import LineFormat, refused_line
from app.documents.retexting import Change, Letters, add_spelled, changes
from app.documents.xml.markup import Edit
from app.text.reading.encodings import Decoded
from app.text.reading.headers import pair_columns
from app.text.reading.objects import object_lines

__all__ = ["JsonLines"]

KEY: Final = "assay"
OUR_OBJECT: Final = re.compile(r',\s*"assay":\s*\{[^{}]*\}(?=\s*\}\s*$)')
# A character by its number, as one or as two halves, or by its sign.
ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])")
BLANKS: Final = re.compile(r"[ \t\r\n]*+")
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

    def _comments(self, decoded: Decoded) -> Callable[[str], bool]:
        # It is spelled in ASCII.
        return lambda comment: True

    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        # As json has it: of two of one name the last counts, where the first stands.
        members = {name: place for name, *place in _members(text[begin:end])}
        columns = pair_columns(list(members))
        assert columns is not None
        first, last = list(members.values())[columns[1]]
        # Between its quotes.
        first, last = begin + first + 1, begin + last - 1
        letters = Letters()
        add_spelled(letters, text, first, last, ESCAPE, _read)
        made = changes(letters, new)
        numbered = "\\u" in text[first:last]
        return None if made is None else [_edit(change, numbered) for change in made]

    def _marked_line(self, line: str, mark: Mark) -> str:
        members: Mapping[str, Any] = {
            "quality": round(mark.confidence, 4), "score": round(mark.score, 6), "low": round(mark.low, 6),
            "high": round(mark.high, 6), "label": mark.label, "model": mark.model, "band": mark.band,
            "warnings": " ".join(mark.warnings), **({"correction": mark.comment} if mark.comment else {}),
        }  # fmt: skip
        own = OUR_OBJECT.sub("", line)
        cut = own.rindex("}")
        return f'{own[:cut]}, "{KEY}": {_braceless(json.dumps(members))}{own[cut:]}'


def _members(line: str) -> Iterator[tuple[str, int, int]]:
    """The members of an object, which was read before: the name of each, and where its value begins and ends."""
    decoder = json.JSONDecoder()
    at = line.index("{") + 1
    while True:
        at = _behind_blanks(line, at)
        if line[at] == "}":
            return
        name, at = decoder.raw_decode(line, at)
        at = _behind_blanks(line, _behind_blanks(line, at) + 1)
        _, end = decoder.raw_decode(line, at)
        yield name, at, end
        at = _behind_blanks(line, end)
        at += line[at] == ","


def _edit(change: Change, numbered: bool) -> Edit:
    return Edit(change.start, change.end, json.dumps(change.text, ensure_ascii=numbered)[1:-1])


def _behind_blanks(line: str, at: int) -> int:
    match = BLANKS.match(line, at)
    assert match is not None
    return match.end()


def _read(escape: str) -> str:
    return str(json.loads(f'"{escape}"'))


def _braceless(members: str) -> str:
    """An object without braces in its texts, so that its end is seen when it is to be replaced."""
    return "{" + members[1:-1].replace("{", "\\u007b").replace("}", "\\u007d") + "}"
