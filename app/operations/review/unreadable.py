"""Findings about files that cannot be read."""

from app.errors import InputError
from app.operations.review.request import CODES, Finding

__all__ = ["unreadable"]


def unreadable(path: str, language: str, error: InputError) -> Finding:
    """An error about a file, at the place that its InputError names: the file itself, or that of its sources."""
    line, column = [*(part for part in error.where if isinstance(part, int)), 1, 1][:2]
    return {
        "path": path,
        "line": line,
        "column": column,
        "end_line": line,
        "end_column": column,
        "key": "",
        "language": language,
        "code": "unreadable",
        "severity": "error",
        "message": f"{CODES['unreadable']}: {error.detail}",
        "source": "",
        "translation": "",
        "source_spans": [],
        "translation_spans": [],
    }
