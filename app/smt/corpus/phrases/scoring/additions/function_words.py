"""Lists of function words of both languages, as hashes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import UInt64s
from app.errors import InputError
from app.smt.corpus.lines import numbered_lines
from app.smt.corpus.phrases.lexical_kernels import word_hash

__all__ = ["FunctionWords"]


@dataclass(frozen=True)
class FunctionWords:
    """Sorted hashes of function words of source and target, and their `files`."""

    source: UInt64s
    target: UInt64s
    files: tuple[Path, ...] = ()

    @classmethod
    def empty(cls) -> "FunctionWords":
        """Empty lists."""
        return cls(np.zeros(0, np.uint64), np.zeros(0, np.uint64))

    @classmethod
    def read(cls, source: Path, target: Path) -> "FunctionWords":
        """Read the first word of each line of two files. InputError for a file without words or a line of invalid text."""
        return cls(_hashes(source), _hashes(target), (source, target))


def _hashes(path: Path) -> UInt64s:
    words = {words[0].encode() for _, line in numbered_lines(path) if (words := line.split())}
    if not words:
        raise InputError("empty-input", f"{path} names no function word", (str(path),))
    return np.array(sorted(int(word_hash(np.frombuffer(word, np.uint8), 0, len(word))) for word in words), np.uint64)
