"""String files of programs: texts by keys, a file for each language, each text with its place in the file."""

from app.documents.strings.catalogue import STRING_FORMATS, is_empty, string_format
from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.pairing import PairedStrings, paired_strings

__all__ = ["STRING_FORMATS", "PairedStrings", "StringEntry", "StringFormat", "is_empty", "paired_strings", "string_format"]
