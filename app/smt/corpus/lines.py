"""Decoded lines of files with their numbers, and errors about a line."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from app.building.line_files import read_lines
from app.errors import InputError
from app.text.reading.lines import decode_text

__all__ = ["line_error", "numbered_lines"]


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers, from 1, and texts of the lines of a file, gzipped or plain; InputError for a line that is not UTF-8."""
    with ExitStack() as stack:
        for number, raw in enumerate(read_lines(path, stack), 1):
            yield number, decode_text(raw, str(path), number)


def line_error(path: Path | str, line: int, reason: str, code: str = "invalid-table") -> InputError:
    """Error about a line of a file; its text is "line LINE of PATH REASON"."""
    return InputError(code, f"line {line} of {path} {reason}", (str(path), line))
