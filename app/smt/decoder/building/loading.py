"""Load the part of a system that a text needs; most rows of a large table are for other words."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Final

from app.smt.decoder.system import System, load_system
from app.smt.decoder.text_phrases import TextPhrases
from app.text.tokenisation import tokens_of

__all__ = ["load_for"]

# Lines that are read ahead for their phrases; longer texts get complete tables.
MOST_LINES: Final = 100_000


def load_for(path: Path, lines: Iterable[str]) -> tuple[System, Iterator[str]]:
    """System of a configuration, with rows for these lines only, and an iterator over the lines."""
    later_lines = iter(lines)
    first_lines = list(islice(later_lines, MOST_LINES + 1))
    if len(first_lines) > MOST_LINES:
        return load_system(path), chain(first_lines, later_lines)
    return load_system(path, TextPhrases(tokens_of(line) for line in first_lines)), iter(first_lines)
