"""The formats of string files, by the suffixes of their names."""

from collections.abc import Mapping
from typing import Final

from app.documents.strings.entry import StringFormat
from app.documents.strings.formats.arb import Arb
from app.documents.strings.formats.fluent import Fluent
from app.documents.strings.formats.json import Json
from app.documents.strings.formats.markdown import Markdown, Mdx
from app.documents.strings.formats.php import PhpArrays
from app.documents.strings.formats.properties import Properties
from app.documents.strings.formats.strings import AppleStrings
from app.documents.strings.formats.subtitles import SubRip
from app.documents.strings.formats.usfm import Usfm
from app.documents.strings.formats.webvtt import WebVtt
from app.documents.strings.formats.xcstrings import StringCatalogue
from app.documents.strings.formats.xml.android import Android
from app.documents.strings.formats.xml.qt import Qt
from app.documents.strings.formats.xml.resx import Resx
from app.documents.strings.formats.xml.stringsdict import StringsDict
from app.documents.strings.formats.yaml import Yaml
from app.errors import InputError

__all__ = ["STRING_FORMATS", "is_empty", "string_format"]

STRING_FORMATS: Final[tuple[StringFormat, ...]] = (
    *(Json(), Arb(), Android(), AppleStrings(), StringsDict(), StringCatalogue(), Properties(), Resx(), Yaml()),
    *(Fluent(), PhpArrays(), Qt(), SubRip(), WebVtt(), Markdown(), Mdx(), Usfm()),
)
SUFFIXES: Final[Mapping[str, StringFormat]] = {suffix: form for form in STRING_FORMATS for suffix in form.suffixes}


def string_format(name: str) -> StringFormat | None:
    """The format of a file by the longest suffix of its name, or None."""
    lower = name.lower()
    suffixes = [suffix for suffix in SUFFIXES if lower.endswith(suffix)]
    return SUFFIXES[max(suffixes, key=len)] if suffixes else None


def is_empty(name: str, text: str) -> bool:
    """Return True for a string file that can be read and has no texts. O(length)."""
    form = string_format(name)
    try:
        return form is not None and not form.entries(text, name)
    except InputError:
        return False
