"""Lexical translation probabilities from word alignments, in GIZA's and Moses' text format."""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.resources.lexical_table import LexicalTable
from app.text.batch import TokenColumn
from app.text.hashing import hash_tokens
from app.text.parallel_corpus import ParallelCorpus

__all__ = ["LexicalEntries", "estimate_lexical_table", "read_lexical_table", "write_lexical_table"]

NULL: Final = "NULL"


@dataclass(frozen=True)
class LexicalEntries:
    """p(target | source) of pairs of words, sorted by source word, then most probable first, then by target word.

    `source` and `target` are positions in the words of each side, which begin with ``NULL``.
    """

    words: tuple[Sequence[str], Sequence[str]]
    source: Int64s
    target: Int64s
    probability: Float64s

    def __len__(self) -> int:
        return len(self.probability)

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        """(source, target, probability) of every entry."""
        sources, targets = self.words
        columns = (self.source.tolist(), self.target.tolist(), self.probability.tolist())
        return ((sources[s], targets[t], p) for s, t, p in zip(*columns, strict=True))

    def table(self) -> LexicalTable:
        """Table in the form that the engine loads."""
        source, target = (hash_tokens(words) for words in self.words)
        return LexicalTable.of(source[self.source], target[self.target], self.probability)


def estimate_lexical_table(corpus: ParallelCorpus) -> LexicalEntries:
    """p(target | source) by relative frequency of the corpus's links.

    An unaligned target token counts as a translation of NULL, an unaligned source token as translated by NULL.
    """
    if corpus.links is None:
        raise InputError("invalid-request", "a lexical table needs links between words; align the corpus first")
    segments, sides = corpus.links.segments, (corpus.source, corpus.target)
    tokens = [
        side.offsets[segments] + places for side, places in zip(sides, (corpus.links.source, corpus.links.target), strict=True)
    ]
    words = [_words(side) for side in sides]
    numbers = [_numbers(side) for side in sides]
    free = [np.delete(number, np.unique(token)) for number, token in zip(numbers, tokens, strict=True)]
    source = np.concatenate([numbers[0][tokens[0]], free[0], np.zeros(len(free[1]), np.int64)])
    target = np.concatenate([numbers[1][tokens[1]], np.zeros(len(free[0]), np.int64), free[1]])
    width = len(words[1])
    keys, counts = np.unique(source * width + target, return_counts=True)
    source, target = keys // width, keys % width
    probability = counts / np.bincount(source, counts)[source] if len(keys) else np.zeros(0)
    ranks = [np.argsort(np.array(sorted(range(len(side)), key=side.__getitem__), np.int64)) for side in words]
    order = np.lexsort((ranks[1][target], -probability, ranks[0][source]))
    return LexicalEntries((words[0], words[1]), source[order], target[order], probability[order])


def _words(column: TokenColumn) -> list[str]:
    return [NULL, *column.vocabulary]


def _numbers(column: TokenColumn) -> Int64s:
    """Position of every token in `_words`; a token NULL counts as the empty word."""
    places = np.arange(1, len(column.vocabulary) + 1)
    if NULL in column.vocabulary:
        places[list(column.vocabulary).index(NULL)] = 0
    return places[column.ids] if len(column.ids) else np.zeros(0, np.int64)


def write_lexical_table(entries: LexicalEntries, path: Path) -> None:
    """Write ``source target probability`` lines, gzip without a time stamp (the same input gives the same bytes)."""
    text = "".join(f"{source} {target} {p:.7f}\n" for source, target, p in entries)
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def read_lexical_table(path: Path) -> list[tuple[str, str, float]]:
    """(source, target, probability) of a table written by `write_lexical_table`, GIZA++ or Moses (gzip or plain)."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    rows = (line.rstrip("\r").split(" ") for line in text.split("\n") if line)
    return [(row[0], row[1], float(row[2])) for row in rows]
