"""The most frequent function words of each language, as they ship."""

import json
from pathlib import Path

__all__ = ["shipped_function_words"]


def shipped_function_words(resources: Path, language: str) -> tuple[str, ...]:
    """The list of a language, empty where there is none."""
    path = resources / "function_words.json"
    languages: dict[str, list[str]] = json.loads(path.read_text("utf-8"))["languages"] if path.is_file() else {}
    return tuple(languages.get(language, ()))
