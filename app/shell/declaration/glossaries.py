"""Glossaries of options as fields of requests."""

from pathlib import Path
from typing import Any

from app.documents.glossaries import read_glossary
from app.operations.glossary import fields_of_glossary
from app.text.reading.lines import read_bytes

__all__ = ["glossary_field"]


def glossary_field(file: Path | None, source_language: str) -> list[dict[str, Any]] | None:
    """The terms of a file as a field of a request; None without one. InputError names the file and the line."""
    return None if file is None else fields_of_glossary(read_glossary(read_bytes(file), str(file), source_language))
