"""Loading as much of a system as a text needs: of a large table most is about words that a short text does not have."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Final

from app.smt.decoder.system import System, load_system
from app.smt.decoder.text_phrases import TextPhrases
from app.text.tokenisation import tokens_of

__all__ = ["load_for"]

# Lines that are held to look at their phrases; of a longer text, tables are loaded whole.
MOST_LINES: Final = 100_000


def load_for(path: Path, lines: Iterable[str]) -> tuple[System, Iterator[str]]:
    """The system of a configuration, as far as these lines need it, and the lines, which may be read once."""
    rest = iter(lines)
    held = list(islice(rest, MOST_LINES + 1))
    if len(held) > MOST_LINES:
        return load_system(path), chain(held, rest)
    return load_system(path, TextPhrases(tokens_of(line) for line in held)), iter(held)
