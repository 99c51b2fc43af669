"""Glossaries by the suffixes of their files."""

from pathlib import PurePath
from typing import Final

from app.documents.glossaries.delimited import read_csv, read_tsv
from app.documents.glossaries.glossary import Glossary
from app.errors import InputError

__all__ = ["GLOSSARY_SUFFIXES", "read_glossary"]

GLOSSARY_SUFFIXES: Final = (".csv", ".tsv", ".tbx", ".xlsx")


def read_glossary(raw: bytes, name: str, source_language: str) -> Glossary:
    """The glossary of a file, by the suffix of its `name`. TBX gives terms of the `source_language` in all other languages.

    InputError (`invalid-glossary`, and those of documents) names the file and the line.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix == ".csv":
        return read_csv(raw, name)
    if suffix == ".tsv":
        return read_tsv(raw, name)
    raise InputError("invalid-glossary", f"the name of a glossary ends in {', '.join(GLOSSARY_SUFFIXES)}", (name,))
