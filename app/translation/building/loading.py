"""Loading as much of a system as a text needs: of a large table most is about words that a short text does not have."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from app.translation.moses_ini import read_moses_ini
from app.translation.system import System, load_parts, load_system, system_of

__all__ = ["load_for", "spans_of"]

# Phrases of a text that are looked for in tables one by one; of a longer text, tables are loaded whole.
MOST_SPANS: Final = 500_000


def spans_of(lines: Iterable[str], longest: int) -> frozenset[str]:
    """All phrases of up to `longest` words."""
    spans: set[str] = set()
    for line in lines:
        _add(spans, line, longest)
    return frozenset(spans)


def _add(spans: set[str], line: str, longest: int) -> None:
    words = line.split()
    for start in range(len(words)):
        spans.update(" ".join(words[start:end]) for end in range(start + 1, min(start + longest, len(words)) + 1))


def load_for(path: Path, lines: Iterable[str]) -> tuple[System, Iterator[str]]:
    """The system of a configuration, as far as these lines need it, and the lines, which may be read once.

    A text with many phrases is not held in memory: all is loaded then.
    """
    longest = read_moses_ini(path).limits.phrase_length
    spans: set[str] = set()
    held: list[str] = []
    rest = iter(lines)
    for line in rest:
        held.append(line)
        _add(spans, line, longest)
        if len(spans) > MOST_SPANS:
            return load_system(path), chain(held, rest)
    return system_of(load_parts(path, frozenset(spans), fixed=True)), iter(held)
