"""Parallel text for training: pairs of usable sentences, with one blank between words."""

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
# Longer sentences are mostly badly segmented, and take most of the time of alignment.
MOST_WORDS: Final = 100
# This separator of table columns may not occur, not even within a word.
BARS: Final = "|||"


def plain_text(text: str, lowercase: bool) -> str:
    """A line for a system: words with one blank between them, optionally in lower case."""
    return " ".join(tokens_of(text.lower() if lowercase else text))


def write_pairs(source: Path, target: Path, folder: Path, lowercase: bool, most_words: int | None = MOST_WORDS) -> dict[str, int]:
    """Write the pairs whose sides both have 1 to `most_words` words and no ``|||``, and return their count and that of the rest.

    If `most_words` is None, all pairs are written. InputError names file and line of invalid text, or the lengths of texts that
    differ; ``empty-input`` if no pair is left.
    """
    pair_count = skipped_count = 0
    with ExitStack() as stack:
        columns: Sequence[Iterator[bytes]] = [read_lines(path, stack) for path in (source, target)]
        files = [stack.enter_context((folder / name).open("w", encoding="utf-8", newline="\n")) for name in (SOURCE, TARGET)]
        for number, row in enumerate(side_by_side([str(source), str(target)], columns), 1):
            texts = [
                plain_text(decode_text(line, str(path), number), lowercase)
                for path, line in zip((source, target), row, strict=True)
            ]
            if most_words is not None and not all(_usable(text, most_words) for text in texts):
                skipped_count += 1
                continue
            for file, text in zip(files, texts, strict=True):
                file.write(f"{text}\n")
            pair_count += 1
    if not pair_count:
        raise InputError(
            "empty-input",
            f"{source} and {target} have no usable pair of sentences; give text with 1 to {most_words} words a line",
            (str(source),),
        )
    return {"pairs": pair_count, "left out": skipped_count}


def _usable(text: str, most_words: int) -> bool:
    words = tokens_of(text)
    return 0 < len(words) <= most_words and BARS not in text
