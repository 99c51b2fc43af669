"""`WordPairs`: the pairs of words that stand in the same segments of a corpus, from one side, each with what is known of it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from app.arrays import Float32s, Int32s, Int64s, UInt64s
from app.building.alignment.similarity_kernels import letter_similarities
from app.building.alignment.stems import stem_of
from app.building.alignment.variational_kernels import pair_entries
from app.text.hashing import combine_all, hash_tokens
from app.text.parallel_corpus import ParallelCorpus
from app.text.ragged import offsets_of

__all__ = ["WordPairs"]


@dataclass(frozen=True)
class WordPairs:
    """The distinct pairs of a source word and a target word, a row each, and where they stand.

    `entry` has the row of every cell: that of source token i (from 1, 0 is the empty word) and target token j, of a segment with J
    target tokens, is ``entry_offsets[s] + i * J + j``. `group` is the row's source word (0 the empty word, others from 1 as in
    the vocabulary). `keys` and `stem_keys` name a row's words, and their first letters, by hashes, in any corpus alike.
    """

    entry: Int32s
    entry_offsets: Int64s
    source_offsets: Int64s
    target_offsets: Int64s
    source: Int64s
    group: Int64s
    word_hashes: UInt64s
    stem_hashes: UInt64s
    keys: UInt64s
    stem_keys: UInt64s
    similarity: Float32s

    def __len__(self) -> int:
        return len(self.group)

    @classmethod
    def of(cls, pairs: ParallelCorpus) -> "WordPairs":
        """Pairs of words in the segments of a corpus; takes about 20 bytes of memory for each cell and 60 for each row."""
        source, target = pairs.source.ids.astype(np.int64) + 1, pairs.target.ids.astype(np.int64)
        entry_offsets = offsets_of((pairs.source.lengths + 1) * pairs.target.lengths)
        words = max(1, len(pairs.target.vocabulary))
        cells = pair_entries(source, pairs.source.offsets, target, pairs.target.offsets, entry_offsets, words)
        distinct, entry = np.unique(cells, return_inverse=True)
        group, column = distinct // words, distinct % words
        # The empty word has a hash that no word has, as words go.
        hashes, stems = (np.append(np.zeros(1, np.uint64), hash_tokens(form)) for form in _forms(pairs.source.vocabulary))
        other_hashes, other_stems = (hash_tokens(form) for form in _forms(pairs.target.vocabulary))
        similarity = letter_similarities(
            *_letters(["", *pairs.source.vocabulary]), *_letters(pairs.target.vocabulary), group, column
        )
        return cls(
            entry.astype(np.int32),
            entry_offsets,
            pairs.source.offsets,
            pairs.target.offsets,
            source,
            group,
            hashes,
            stems,
            combine_all(hashes[group], other_hashes[column]),
            combine_all(stems[group], other_stems[column]),
            similarity,
        )


def _forms(vocabulary: Sequence[str]) -> tuple[list[str], list[str]]:
    words = list(vocabulary)
    return words, [stem_of(word) for word in words]


def _letters(words: Sequence[str]) -> tuple[Int32s, Int64s]:
    """The letters of each word without their marks, and where each word's begin."""
    plain = ["".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)) for word in words]
    letters = np.array([ord(c) for word in plain for c in word], np.int32)
    return letters, np.fromiter(accumulate(map(len, plain), initial=0), np.int64, len(plain) + 1)
