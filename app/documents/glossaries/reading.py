"""Glossaries by the suffixes of their files."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Final

from app.documents.glossaries.delimited import read_csv, read_tsv
from app.documents.glossaries.glossary import Glossary
from app.documents.glossaries.tbx import read_tbx
from app.documents.glossaries.xlsx import read_xlsx
from app.errors import InputError

__all__ = ["GLOSSARY_SUFFIXES", "read_glossary"]

TABLES: Final[Mapping[str, Callable[[bytes, str], Glossary]]] = {".csv": read_csv, ".tsv": read_tsv, ".xlsx": read_xlsx}
GLOSSARY_SUFFIXES: Final = (*TABLES, ".tbx")


def read_glossary(raw: bytes, name: str, source_language: str) -> Glossary:
    """The glossary of a file, by the suffix of its `name`. TBX gives terms of the `source_language` in all other languages.

    InputError (`invalid-glossary`, and those of documents) names the file and the line.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in TABLES:
        return TABLES[suffix](raw, name)
    if suffix == ".tbx":
        return read_tbx(raw, name, source_language)
    raise InputError("invalid-glossary", f"the name of a glossary ends in {', '.join(GLOSSARY_SUFFIXES)}", (name,))
