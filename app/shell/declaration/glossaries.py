"""Glossaries of options as fields of requests."""

from pathlib import Path
from typing import Any, Final

from app.documents.glossaries import read_glossary
from app.operations.glossary import fields_of_glossary
from app.text.reading.encodings import decode
from app.text.reading.lines import read_bytes

__all__ = ["glossary_field", "glossary_file_field"]

WORKBOOK: Final = ".xlsx"


def glossary_file_field(file: Path | None) -> list[dict[str, Any]] | dict[str, str] | None:
    """The text of a glossary as a field of a request that finds the languages itself; the terms of a workbook."""
    if file is None or file.suffix.lower() == WORKBOOK:
        # Workbooks name no source language.
        return glossary_field(file, "")
    raw = read_bytes(file)
    return {"name": file.name, "text": decode(raw, str(file)).text}


def glossary_field(file: Path | None, source_language: str) -> list[dict[str, Any]] | None:
    """The terms of a file as a field of a request; None without one. InputError names the file and the line."""
    return None if file is None else fields_of_glossary(read_glossary(read_bytes(file), str(file), source_language))
