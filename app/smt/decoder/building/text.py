"""Parallel text as a system is trained on it: pairs of sentences that can be used, words with one blank between them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from app.building.line_files import read_lines
from app.errors import InputError
from app.text.reading.lines import decode_text, side_by_side
from app.text.tokenisation import tokens_of

__all__ = ["MOST_WORDS", "SOURCE", "TARGET", "plain_text", "write_pairs"]

SOURCE: Final = "source.txt"
TARGET: Final = "target.txt"
# Longer sentences are mostly badly cut, and take most of the time of aligning.
MOST_WORDS: Final = 100
# It divides the columns of tables and of n-best lists, also within a word.
BARS: Final = "|||"


def plain_text(text: str, lowercase: bool) -> str:
    """A line as systems have it: words with one blank between them, in lower case where that was asked for."""
    return " ".join(tokens_of(text.lower() if lowercase else text))


def write_pairs(source: Path, target: Path, folder: Path, lowercase: bool, most_words: int | None = MOST_WORDS) -> dict[str, int]:
    """Write both sides of all pairs of which neither is empty, has more than `most_words` words or ``|||``.

    How many were written and left out. Where `most_words` is None, all are written. InputError names file and line of what is no
    text, or says how long two texts of different lengths are; ``empty-input`` where nothing is left.
    """
    written = left_out = 0
    with ExitStack() as stack:
        columns: Sequence[Iterator[bytes]] = [read_lines(path, stack) for path in (source, target)]
        files = [stack.enter_context((folder / name).open("w", encoding="utf-8", newline="\n")) for name in (SOURCE, TARGET)]
        for number, row in enumerate(side_by_side([str(source), str(target)], columns), 1):
            texts = [
                plain_text(decode_text(line, str(path), number), lowercase)
                for path, line in zip((source, target), row, strict=True)
            ]
            if most_words is not None and not all(_usable(text, most_words) for text in texts):
                left_out += 1
                continue
            for file, text in zip(files, texts, strict=True):
                file.write(f"{text}\n")
            written += 1
    if not written:
        raise InputError("empty-input", f"{source} and {target} have no pair of sentences that could be used", (str(source),))
    return {"pairs": written, "left out": left_out}


def _usable(text: str, most_words: int) -> bool:
    words = tokens_of(text)
    return 0 < len(words) <= most_words and BARS not in text
