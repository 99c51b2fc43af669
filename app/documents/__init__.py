"""Files that people translate in: segment pairs out of them, quality back into them, every other byte kept."""

from app.documents.document import Mark, SegmentFile, Unit, language_of
from app.documents.formats import FILE_FORMATS, FileFormat, annotate_file, file_format, is_table_line, read_file

__all__ = [
    "FILE_FORMATS",
    "FileFormat",
    "Mark",
    "SegmentFile",
    "Unit",
    "annotate_file",
    "file_format",
    "is_table_line",
    "language_of",
    "read_file",
]
