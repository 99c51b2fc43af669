"""Shipped lists of the most frequent function words of each language."""

import json
from pathlib import Path

from app.errors import InputError
from app.text.reading.tables import read_column

__all__ = ["function_words_called", "shipped_function_words"]


def shipped_function_words(resources: Path, language: str) -> tuple[str, ...]:
    """Function words of a language; empty if no list ships for it."""
    path = resources / "function_words.json"
    languages: dict[str, list[str]] = json.loads(path.read_text("utf-8"))["languages"] if path.is_file() else {}
    return tuple(languages.get(language, ()))


def function_words_called(resources: Path, spec: str) -> tuple[str, ...]:
    """Function words of a file, a word a line, or of a language with a shipped list; InputError if `spec` is neither."""
    if Path(spec).is_file():
        return tuple(word.lower() for word in read_column(spec) if word)
    words = shipped_function_words(resources, spec)
    if not words:
        raise InputError("invalid-request", "this is neither a file nor a language with a shipped list", ("--function-words",))
    return words
