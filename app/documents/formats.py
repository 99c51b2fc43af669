"""Every format of files with segment pairs, told apart by what is in them and never by their names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.documents.archive import is_zip, open_members, with_members
from app.documents.decoding import decode
from app.documents.delimited import annotate_csv, annotate_tsv, csv_delimiter, read_csv, read_tsv
from app.documents.document import Mark, SegmentFile, Unit
from app.documents.line_formats import (
    BARS,
    annotate_bars,
    annotate_json_lines,
    annotate_n_best,
    is_bars,
    is_n_best,
    read_bars,
    read_json_lines,
    read_n_best_file,
)
from app.documents.po import annotate_po, read_po
from app.documents.tmx import annotate_tmx, read_tmx
from app.documents.xliff import annotate_xliff, read_xliff
from app.documents.xliff2 import annotate_xliff2, read_xliff2
from app.errors import InputError
from app.text.languages import LanguagePair

__all__ = ["FILE_FORMATS", "FileFormat", "annotate_file", "file_format", "is_table_line", "read_file"]


class Reader(Protocol):
    """Bytes into segment pairs."""

    def __call__(self, raw: bytes, name: str, wanted: LanguagePair | None = None, /) -> SegmentFile: ...


class Annotator(Protocol):
    """Bytes and a mark for each of their units into bytes."""

    def __call__(self, raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None, /) -> bytes: ...


@dataclass(frozen=True)
class FileFormat:
    """A format: its name, what people call it, its usual suffix and media type, and how it is read and annotated."""

    name: str
    title: str
    suffix: str
    media_type: str
    read: Reader
    annotate: Annotator


def _read_zip(raw: bytes, name: str, wanted: LanguagePair | None = None, /) -> SegmentFile:
    """All documents of an archive that are of one language pair; files of other kinds are passed over."""
    units: list[Unit] = []
    members: list[tuple[str, int]] = []
    skipped = 0
    languages: tuple[str | None, str | None] = (wanted.source, wanted.target) if wanted else (None, None)
    for number, (_, content) in enumerate(open_members(raw, name), 1):
        form = _member_format(content)
        if form is None:
            continue
        read = _at_member(form.read, number, content, wanted)
        known = (read.source_language, read.target_language)
        if None in languages:
            languages = known
        elif None not in known and known != languages:
            detail = f"file {number} of the archive is of another language pair than those before it; send one archive per pair"
            raise InputError("invalid-document", detail, (name, number))
        units += read.units
        skipped += read.skipped
        members.append((form.name, len(read.units)))
    if not members:
        raise InputError("unknown-format", f"no file of the archive is of a format that is read: {_known()}", (name,))
    return SegmentFile("zip", tuple(units), *languages, skipped, tuple(members))


def _at_member(read: Reader, number: int, content: bytes, wanted: LanguagePair | None) -> SegmentFile:
    """Read one file of an archive; an error says which file it is in."""
    try:
        return read(content, "file", wanted)
    except InputError as error:
        where = (*error.where[:1], number, *error.where[1:])
        raise InputError(error.code, f"file {number} of the archive: {error.detail}", where) from None


def _member_format(content: bytes) -> FileFormat | None:
    try:
        form = file_format(content, "file")
    except InputError as error:
        if error.code in ("unknown-format", "invalid-encoding", "invalid-character", "empty-input"):
            return None
        raise
    return None if form.name in ("zip", "n-best") else form


def _annotate_zip(raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None, /) -> bytes:
    left = list(marks)

    def change(member: str, content: bytes) -> bytes:
        form = _member_format(content)
        if form is None:
            return content
        count = len(form.read(content, member, wanted).units)
        mine, left[:count] = left[:count], []
        return form.annotate(content, member, mine, wanted)

    return with_members(raw, change)


def _needs_sources(raw: bytes, name: str, *rest: object) -> SegmentFile:
    raise InputError("missing-evidence", "an n-best list has no sources in it; send them too, one a line, as source", ("source",))


FILE_FORMATS: Final[Mapping[str, FileFormat]] = {
    each.name: each
    for each in (
        FileFormat("xliff-1.2", "XLIFF 1.2", "xlf", "application/xliff+xml", read_xliff, annotate_xliff),
        FileFormat("xliff-2", "XLIFF 2", "xlf", "application/xliff+xml", read_xliff2, annotate_xliff2),
        FileFormat("tmx", "TMX", "tmx", "application/x-tmx+xml", read_tmx, annotate_tmx),
        FileFormat("po", "PO (gettext)", "po", "text/x-gettext-translation", read_po, annotate_po),
        FileFormat("tsv", "TSV table", "tsv", "text/tab-separated-values", read_tsv, annotate_tsv),
        FileFormat("csv", "CSV table", "csv", "text/csv", read_csv, annotate_csv),
        FileFormat("jsonl", "JSON lines", "jsonl", "application/x-ndjson", read_json_lines, annotate_json_lines),
        FileFormat("bars", "source ||| translation", "txt", "text/plain", read_bars, annotate_bars),
        FileFormat("n-best", "Moses n-best list, with its sources", "nbest", "text/plain", _needs_sources, _needs_sources),  # type: ignore[arg-type]
        FileFormat("zip", "zip archive of several", "zip", "application/zip", _read_zip, _annotate_zip),
    )
}
XLIFF_2: Final = re.compile(r"<(?:[\w.-]+:)?xliff\b[^>]*?(?:\sversion\s*=\s*[\"']2\.|xliff:document:2\.)")
ROOT: Final = re.compile(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->)\s*)*(?:<!DOCTYPE.*?>\s*)?<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
MESSAGE: Final = re.compile(r"^msgid\s+\"", re.MULTILINE)
OBJECT: Final = re.compile(r"\{\s*\"")
ROOT_TAG: Final = re.compile(r"<(?:[\w.-]+:)?(?:xliff|tmx)\b")
LOOKED_AT: Final = 200


def _known() -> str:
    return ", ".join(form.title for form in FILE_FORMATS.values())


def file_format(raw: bytes, name: str) -> FileFormat:
    """The format of a file by its content; InputError (`unknown-format`, `empty-input`) names those that are read."""
    if is_zip(raw):
        return FILE_FORMATS["zip"]
    text = decode(raw, name).text
    if not text.strip():
        raise InputError("empty-input", "the file is empty", (name,))
    found = (_markup_format(text) if text.lstrip().startswith("<") else None) or _line_format(text)
    if found is None:
        raise InputError("unknown-format", f"line 1, column 1: this is of no format that is read: {_known()}", (name, 1, 1))
    return FILE_FORMATS[found]


def _markup_format(text: str) -> str | None:
    root = ROOT.match(text)
    kind = root[1].lower() if root else ""
    if kind == "xliff":
        return "xliff-2" if XLIFF_2.search(text, 0, 10_000) else "xliff-1.2"
    return "tmx" if kind == "tmx" else None


def is_table_line(first: str) -> bool:
    """Whether a document that begins with this line is a table: cells may begin with < or {, but not as XML or JSON does."""
    start = first.lstrip()
    return "\t" in first and not start.startswith(("<?xml", "<!")) and not OBJECT.match(start) and ROOT_TAG.match(start) is None


def _line_format(text: str) -> str | None:
    head = text[:1_000_000]
    lines = [line.removesuffix("\r") for line in head.split("\n")[: LOOKED_AT + 1]]
    # The last line may be cut.
    lines = [line for line in (lines[:-1] if len(lines) > 1 else lines) if line.strip()] or [head]
    first = lines[0]
    if first.lstrip().startswith("{") and not is_table_line(first):
        return "jsonl"
    if MESSAGE.search(head) and "msgstr" in text:
        return "po"
    if is_table_line(first):
        return "tsv"
    if BARS in first:
        return "n-best" if is_n_best(first) else "bars" if is_bars(lines) else None
    return "csv" if csv_delimiter(first) else None


def read_file(raw: bytes, name: str, wanted: LanguagePair | None = None, sources: Sequence[str] | None = None) -> SegmentFile:
    """The segment pairs of a file of any format; `sources` go with an n-best list.

    `wanted` chooses among several languages. InputError names line and column where the file is not what it should be.
    """
    form = file_format(raw, name)
    if form.name == "n-best" and sources is not None:
        return read_n_best_file(raw, name, sources)
    return form.read(raw, name, wanted)


def annotate_file(
    raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None, sources: Sequence[str] | None = None
) -> bytes:
    """The same file with a mark beside each of its units, all else byte for byte as it was."""
    form = file_format(raw, name)
    if form.name == "n-best" and sources is not None:
        return annotate_n_best(raw, name, marks, sources)
    return form.annotate(raw, name, marks, wanted)
