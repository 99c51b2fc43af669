"""Translation files: read segment pairs from them and write quality into them, with every other byte unchanged."""

from app.documents.document import Document, QualityMark, Unit, language_of
from app.documents.format import FileFormat, ReadOptions
from app.documents.formats import FILE_FORMATS, HEAD_BYTES, file_format, is_plain_table, read_file

__all__ = [
    "FILE_FORMATS",
    "HEAD_BYTES",
    "Document",
    "FileFormat",
    "QualityMark",
    "ReadOptions",
    "Unit",
    "file_format",
    "is_plain_table",
    "language_of",
    "read_file",
]
