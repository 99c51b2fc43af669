"""Tables of paraphrases in METEOR's format, as sorted keys of phrases."""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s, UInt8s, UInt64s
from app.errors import InputError
from app.metrics.meteor.phrase_kernels import read_phrases
from app.text.reading.lines import decode_text

__all__ = ["NO_PARAPHRASES", "Paraphrases", "read_paraphrases", "warm_up_paraphrases"]

# METEOR's largest table, English, has 5.3 million entries of at most 7 words in 272 MB of text.
MOST_BYTES: Final = 1 << 30
MOST_ENTRIES: Final = 20_000_000
LONGEST_PHRASE: Final = 16
BLOCK: Final = 1 << 24
# A probability, a phrase, and its paraphrase.
LINES: Final = 3


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """Keys of phrases, sorted; key and number of words of each phrase's paraphrase; words of the longest phrase."""

    phrases: UInt64s
    paraphrases: UInt64s
    widths: UInt8s
    longest: int


NO_PARAPHRASES: Final = Paraphrases(np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint8), 0)


def read_paraphrases(path: Path) -> Paraphrases:
    """Read a gzip file of three lines per entry: a probability, which METEOR does not use, a phrase, and its paraphrase.

    InputError (`invalid-document`, `invalid-encoding`, `document-too-large`) names the line.
    """
    phrases, paraphrases, widths, line, rest, size = [], [], [], 1, b"", 0
    try:
        with gzip.open(path) as file:
            while block := file.read(BLOCK):
                size += len(block)
                if size > MOST_BYTES or line > LINES * MOST_ENTRIES:
                    detail = f"{path.name} has more than {MOST_BYTES} bytes or {MOST_ENTRIES} entries; leave out rare ones"
                    raise InputError("document-too-large", detail, (path.name,))
                rest += block
                end = rest.rfind(b"\n") + 1
                decode_text(rest[:end], path.name, line, size - len(rest))
                block_keys, block_widths, byte_count = read_phrases(np.frombuffer(rest[:end], np.uint8), LINES)
                _check(block_widths, path.name, line)
                phrases.append(block_keys[1::LINES].copy())
                paraphrases.append(block_keys[2::LINES].copy())
                widths.append(block_widths.astype(np.uint8).reshape(-1, LINES)[:, 1:])
                line += len(block_widths)
                rest = rest[byte_count:]
    except (EOFError, OSError, zlib.error):
        raise InputError("invalid-encoding", f"{path.name} is no gzip file or is damaged; pack it again", (path.name,)) from None
    if rest:
        detail = f"{path.name} ends within an entry, at line {line}; an entry has three lines, each with a line end"
        raise InputError("invalid-document", detail, (path.name, line))
    if not phrases:
        return NO_PARAPHRASES
    keys, all_widths = np.concatenate(phrases), np.concatenate(widths)
    order = np.argsort(keys, kind="stable")
    longest = int(all_widths.max(initial=0))
    return Paraphrases(keys[order], np.concatenate(paraphrases)[order], all_widths[order, 1], longest)


def warm_up_paraphrases() -> None:
    """Compile the reader, so that the first request with tables does not wait for it."""
    read_phrases(np.frombuffer(b"0.5\na\nb\n", np.uint8), LINES)


def _check(widths: Int64s, name: str, line: int) -> None:
    """InputError names the first line that is no probability, or a phrase without words or with too many."""
    is_probability = np.arange(len(widths)) % LINES == 0
    wrong = np.where(is_probability, widths != 1, (widths < 1) | (widths > LONGEST_PHRASE))
    if wrong.any():
        at = int(wrong.argmax())
        expected = "a probability" if is_probability[at] else f"a phrase of 1 to {LONGEST_PHRASE} words"
        raise InputError("invalid-document", f"line {line + at} of {name} is not {expected}", (name, line + at))
