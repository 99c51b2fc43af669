"""Translation files: read segment pairs from them and write quality into them, with every other byte unchanged."""

from app.documents.document import Document, Mark, Unit, language_of
from app.documents.format import Format, ReadOptions
from app.documents.formats import FILE_FORMATS, HEAD_BYTES, file_format, is_plain_table, read_file

__all__ = [
    "FILE_FORMATS",
    "HEAD_BYTES",
    "Document",
    "Format",
    "Mark",
    "ReadOptions",
    "Unit",
    "file_format",
    "is_plain_table",
    "language_of",
    "read_file",
]
