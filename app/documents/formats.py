"""All formats of files with segment pairs, distinguished by content and never by file names."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.documents.archive import is_zip
from app.documents.bars import Bars
from app.documents.delimited import Csv, Tsv
from app.documents.document import MOST_UNITS, Document
from app.documents.format import FileFormat, ReadOptions, Sample, recognise, recognised
from app.documents.json_lines import JsonLines
from app.documents.n_best import NBest
from app.documents.packed import Zip
from app.documents.po import Po
from app.documents.xml.tmx import Tmx
from app.documents.xml.xliff import Xliff
from app.documents.xml.xliff2 import Xliff2
from app.errors import InputError
from app.text.languages import LanguagePair
from app.text.reading.columns import Order
from app.text.reading.encodings import encoding_of
from app.text.reading.foreign import foreign_kind

__all__ = ["FILE_FORMATS", "HEAD_BYTES", "file_format", "is_plain_table", "read_file"]

_SINGLE: Final[tuple[FileFormat, ...]] = (Xliff(), Xliff2(), Tmx(), Po(), Tsv(), Csv(), JsonLines(), Bars(), NBest())
FORMATS: Final = (*_SINGLE, Zip([form for form in _SINGLE if form.packable]))
FILE_FORMATS: Final[Mapping[str, FileFormat]] = {form.name: form for form in FORMATS}
# Bytes of a file that decide if it can be streamed.
HEAD_BYTES: Final = 100_000


def file_format(raw: bytes, name: str) -> FileFormat:
    """Format of a file by its content; InputError (`unknown-format`, `empty-input`) lists the supported formats."""
    return recognised(raw, name, FORMATS)


def read_file(
    raw: bytes,
    name: str,
    pair: LanguagePair | None = None,
    sources: Sequence[str] | None = None,
    limit: int = MOST_UNITS,
    header: bool | None = None,
    order: Order | None = None,
) -> Document:
    """Read the segment pairs of a file of any format.

    The arguments are those of `ReadOptions`. InputError names the position of an error, and stops a file with more than `limit`
    segments.
    """
    return file_format(raw, name).read(raw, name, ReadOptions(pair, sources, limit, header, order))


def is_plain_table(head: bytes) -> bool:
    """Return True if the first `HEAD_BYTES` bytes of a file are those of a table in UTF-8, which can be streamed.

    An empty file and a table with bad bytes count too: the reader of tables reports their errors.
    """
    if is_zip(head) or foreign_kind(head) or _encoding(head) != "utf-8":
        return False
    text = head.decode("utf-8-sig", "replace")
    if not text.strip() or "\0" in text:
        return True
    # One line beyond the head is streamed too, so that the reader of tables reports it.
    if len(head) == HEAD_BYTES and "\n" not in text and not text.lstrip().startswith(("<", "{")):
        return True
    form = recognise(Sample(text), FORMATS)
    return form is not None and form.name == Tsv.name


def _encoding(head: bytes) -> str | None:
    try:
        return encoding_of(head, "file")[1]
    except InputError:
        return None
