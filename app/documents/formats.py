"""Every format of files with segment pairs, told apart by what is in them and never by their names."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.documents.archive import is_zip
from app.documents.bars import Bars
from app.documents.delimited import Csv, Tsv
from app.documents.document import MOST_UNITS, Document
from app.documents.format import Format, ReadOptions, Sample, recognise, recognised
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

_SINGLE: Final[tuple[Format, ...]] = (Xliff(), Xliff2(), Tmx(), Po(), Tsv(), Csv(), JsonLines(), Bars(), NBest())
FORMATS: Final = (*_SINGLE, Zip([form for form in _SINGLE if form.packable]))
FILE_FORMATS: Final[Mapping[str, Format]] = {form.name: form for form in FORMATS}
# As much of a file as tells whether it can be streamed.
HEAD_BYTES: Final = 100_000


def file_format(raw: bytes, name: str) -> Format:
    """The format of a file by its content; InputError (`unknown-format`, `empty-input`) names those that are read."""
    return recognised(raw, name, FORMATS)


def read_file(
    raw: bytes,
    name: str,
    pair: LanguagePair | None = None,
    sources: Sequence[str] | None = None,
    most: int = MOST_UNITS,
    header: bool | None = None,
    order: Order | None = None,
) -> Document:
    """The segment pairs of a file of any format; `sources` go with an n-best list.

    `pair` chooses among several languages, `header` states whether the first row of a table is one, `order` tells columns
    apart that it does not name. InputError names the place
    where the file is not what it should be, or says that there are more than `most` segments, as soon as there are.
    """
    return file_format(raw, name).read(raw, name, ReadOptions(pair, sources, most, header, order))


def is_plain_table(head: bytes) -> bool:
    """Whether a file that begins with these bytes, `HEAD_BYTES` of them, is a table in UTF-8, which need not be read whole.

    What is nothing at all, and a table with bytes that are not UTF-8, is for the reader of tables to refuse.
    """
    if is_zip(head) or foreign_kind(head) or _encoding(head) != "utf-8":
        return False
    text = head.decode("utf-8-sig", "replace")
    if not text.strip() or "\0" in text:
        return True
    # So is a line without end.
    if len(head) == HEAD_BYTES and "\n" not in text and not text.lstrip().startswith(("<", "{")):
        return True
    form = recognise(Sample(text), FORMATS)
    return form is not None and form.name == Tsv.name


def _encoding(head: bytes) -> str | None:
    try:
        return encoding_of(head, "file")[1]
    except InputError:
        return None
