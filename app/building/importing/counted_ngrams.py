"""Files of counted n-grams, as SRILM and QuEst write them, into the counts that features look at."""

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s, UInt64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.resources.ngram_counts import MINIMUM_COUNT, ORDERS, NgramCounts
from app.text.hashing import combine_all, hash_tokens
from app.text.reading.lines import decode_text

__all__ = ["CountedNgrams", "read_counted_ngrams"]

# n-grams that are looked at together.
BLOCK: Final = 100_000
# Words that tell whether a language model is of the same text.
FREQUENT: Final = 1000
LARGEST: Final = 2**32 - 1


@dataclass(frozen=True)
class CountedNgrams:
    """Counts of n-grams with facts about their files.

    - `longer`: number of n-grams with more than three words, which no feature uses.
    - `frequent`: the most frequent words, in this order.
    - `capitals`: share of distinct words with capitals, in [0, 1].
    """

    counts: NgramCounts
    ngrams: tuple[int, ...]
    longer: int
    frequent: tuple[str, ...]
    capitals: float


def read_counted_ngrams(paths: Sequence[Path]) -> CountedNgrams:
    """Read lines ``w1 ... wn<TAB>count``, gzip or not, in any order; counts of one n-gram in several lines are added up.

    They are what ``ngram-count -write`` of SRILM writes. QuEst's processed files are read too: their lines of cut-offs
    (``0-gram<TAB>...``) are left out, since cut-offs follow from the counts. InputError (`invalid-table`, `empty-input`) names
    file and line.
    """
    keys: list[list[UInt64s]] = [[] for _ in range(ORDERS)]
    numbers: list[list[Int64s]] = [[] for _ in range(ORDERS)]
    words: dict[str, int] = {}
    longer = 0
    for path in paths:
        for ngrams, counts in _blocks(path):
            orders = np.array([len(ngram) for ngram in ngrams])
            longer += int((orders > ORDERS).sum())
            for order in range(1, ORDERS + 1):
                rows = np.flatnonzero(orders == order)
                order_ngrams = [ngrams[place] for place in rows]
                key = hash_tokens([ngram[0] for ngram in order_ngrams])
                for k in range(1, order):
                    key = combine_all(key, hash_tokens([ngram[k] for ngram in order_ngrams]))
                keys[order - 1].append(key)
                numbers[order - 1].append(counts[rows])
                if order == 1:
                    for (word,), count in zip(order_ngrams, counts[rows].tolist(), strict=True):
                        words[word] = words.get(word, 0) + count
    if not words:
        raise InputError("empty-input", "the counts have no n-gram of one word; give those of orders 1 to 3", ("--counts",))
    tables = [_added(keys[n], numbers[n]) for n in range(ORDERS)]
    frequent_tables = [(key[count >= MINIMUM_COUNT], count[count >= MINIMUM_COUNT]) for key, count in tables]
    return CountedNgrams(
        NgramCounts.from_counts(frequent_tables, *tables[0]),
        tuple(len(key) for key, _ in tables),
        longer,
        tuple(sorted(words, key=lambda word: (-words[word], word))[:FREQUENT]),
        sum(word != word.lower() for word in words) / len(words),
    )


def _added(keys: list[UInt64s], counts: list[Int64s]) -> tuple[UInt64s, Int64s]:
    distinct, places = np.unique(np.concatenate([np.zeros(0, np.uint64), *keys]), return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, places, np.concatenate([np.zeros(0, np.int64), *counts]))
    return distinct, np.minimum(total, LARGEST)


def _blocks(path: Path) -> Iterator[tuple[list[list[str]], Int64s]]:
    with ExitStack() as stack:
        ngrams: list[list[str]] = []
        counts: list[int] = []
        for number, raw in enumerate(read_lines(path, stack), 1):
            line = unicodedata.normalize("NFC", decode_text(raw, str(path), number)).strip("\t\r\n ")
            if not line or _is_cutoffs(line):
                continue
            ngram, count = _row(line, path, number)
            ngrams.append(ngram)
            counts.append(count)
            if len(ngrams) == BLOCK:
                yield ngrams, np.array(counts, np.int64)
                ngrams, counts = [], []
        yield ngrams, np.array(counts, np.int64)


def _is_cutoffs(line: str) -> bool:
    """Return True for a line of QuEst's heading, ``0-gram<TAB>3<TAB>5<TAB>9<TAB>870``, and not the word ``0-gram``."""
    cells = line.split("\t")
    return len(cells) > 2 and cells[0].removesuffix("-gram").isdecimal() and all(cell.isdecimal() for cell in cells[1:])


def _row(line: str, path: Path, number: int) -> tuple[list[str], int]:
    """The words and the count of a line; the count stands behind the last tab, or where there is none, the last blank."""
    front, _, back = line.rpartition("\t") if "\t" in line else line.rpartition(" ")
    ngram = front.split(" ")
    digits = back.strip()
    if not all(ngram) or not (digits.isascii() and digits.isdecimal()) or len(digits) > 18:
        detail = f"line {number} of {path} is not words with a blank between them, a tab and a count"
        raise InputError("invalid-table", detail, (str(path), number))
    return ngram, int(digits)
