"""METEOR's alignment of numbered words: equal words, words of one stem, synonyms and paraphrases, in stages."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain

import numpy as np

from app.arrays import Bools, Float64s, Int64s, UInt64s
from app.errors import InputError
from app.metrics.definition import Segments
from app.metrics.meteor.candidate_kernels import MOST_CANDIDATES
from app.metrics.meteor.count_kernels import alignment_counts
from app.metrics.meteor.tables import MeteorTables
from app.metrics.numbering import Numbering
from app.metrics.word_order.order_metric import StemTable, check_lengths
from app.text.hashing import hash_tokens
from app.text.ragged import offsets_of

__all__ = ["Aligner", "Alignment"]

# Numbers of words, and offsets of the segments in them (CSR).
NumberedWords = tuple[Int64s, Int64s]


@dataclass(frozen=True)
class Alignment:
    """Alignments of h hypotheses: `counts` (h, 21) of `alignment_counts`, and `links` (words,).

    The first hypothesis word of each match has the index of its first reference word within the segment, other words have -1.
    """

    counts: Float64s
    links: Int64s


class Aligner:
    """Aligns the words of one numbering. A stage without its table, or without a function `stem`, matches nothing.

    `function_words` are lower-cased. Tables are searched in lower case, since they have no other.
    """

    def __init__(
        self, numbering: Numbering, tables: MeteorTables, stem: Callable[[str], str] | None, function_words: Collection[str]
    ) -> None:
        self._numbering = numbering
        self._stems = StemTable(stem)
        self._table = _WordTable(numbering, tables, function_words)
        self._paraphrases = tables.paraphrases
        self._stages = np.array([True, stem is not None, bool(tables.synsets), bool(len(tables.paraphrases.phrases))])

    def number(self, segments: Segments, place: str) -> NumberedWords:
        """Number the words of `segments`; InputError names the first segment with too many by `place`."""
        words, offsets = self._numbering.number(segments)
        check_lengths(offsets, place)
        return words, offsets

    def align(self, hypotheses: NumberedWords, references: NumberedWords, reference_of: Int64s, in_turn: bool) -> Alignment:
        """Align hypothesis i with reference ``reference_of[i]``; `in_turn` is that of `alignment_counts`.

        InputError (``segment-too-long``) names a hypothesis with too many pairs of paraphrases.
        """
        stems = self._stems.stems(self._numbering.symbols())
        is_function, sets, set_offsets, hashes = self._table.columns()
        counts, links, failure = alignment_counts(
            hypotheses[0],
            _look_up(stems, hypotheses[0]),
            hypotheses[1],
            references[0],
            _look_up(stems, references[0]),
            references[1],
            reference_of,
            self._stages,
            in_turn,
            is_function,
            sets,
            set_offsets,
            hashes,
            self._paraphrases.phrases,
            self._paraphrases.paraphrases,
            self._paraphrases.widths,
            self._paraphrases.longest,
        )
        if failure >= 0:
            detail = f"this segment has more than {MOST_CANDIDATES} pairs of paraphrases with its reference; split it"
            raise InputError("segment-too-long", detail, ("systems", failure))
        return Alignment(counts, links)


def _look_up(table: Int64s, words: Int64s) -> Int64s:
    return table[words] if len(words) else words


class _WordTable:
    """Columns of the numbered words, stored between calls: masks of function words, sets of synonyms, hashes."""

    def __init__(self, numbering: Numbering, tables: MeteorTables, function_words: Collection[str]) -> None:
        self._numbering = numbering
        self._tables = tables
        self._function_words = frozenset(function_words)
        self._is_function = np.empty(0, np.bool_)
        self._sets: list[list[int]] = []
        self._hashes = np.empty(0, np.uint64)

    def columns(self) -> tuple[Bools, Int64s, Int64s, UInt64s]:
        """Masks of function words (w,), sets of synonyms and their offsets (CSR), hashes (w,)."""
        tables = self._tables
        new_words = [word.lower() for word in self._numbering.symbols()[len(self._sets) :]]
        if new_words:
            self._is_function = np.concatenate([self._is_function, [word in self._function_words for word in new_words]])
            self._hashes = np.concatenate([self._hashes, hash_tokens(new_words)])
            self._sets += [tables.synonym_sets(word) if tables.synsets else [] for word in new_words]
        sets = np.fromiter(chain.from_iterable(self._sets), np.int64)
        return self._is_function, sets, offsets_of([len(numbers) for numbers in self._sets]), self._hashes
