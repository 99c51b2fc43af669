"""Similarity to the text for translation: cosines of TF-IDF vectors (Song 2015, equations 2.32 to 2.34)."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.sparse import csr_matrix, diags

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.text.batch import TokenColumn

__all__ = ["TfIdf", "TfIdfScorer", "count_documents"]

# Sentences of a block of comparisons.
BLOCK: Final = 1000


@dataclass(frozen=True)
class TfIdf:
    """Weights of words, log(sentences / sentences with the word), with sorted hashes."""

    words: UInt64s
    weights: Float64s

    def vectors(self, column: TokenColumn) -> csr_matrix:
        """Unit vectors of counts times weights, zero if no word has a weight; shape (n, words)."""
        place = np.minimum(np.searchsorted(self.words, column.hashes), len(self.words) - 1)
        word_mask = self.words[place] == column.hashes
        mask = word_mask[column.ids] if len(column.ids) else np.zeros(0, np.bool_)
        rows = np.repeat(np.arange(len(column)), column.lengths)[mask]
        columns = place[column.ids[mask]]
        counts = csr_matrix((self.weights[columns], (rows, columns)), (len(column), len(self.words)))
        norms = np.sqrt(np.asarray(counts.multiply(counts).sum(1)).ravel())
        return csr_matrix(diags(np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0)) @ counts)


def count_documents(pool: Pool) -> TfIdf:
    """Weights from one pass over the sources of a pool; a sentence is a document. 16 bytes for each distinct word."""
    words, counts, total = np.zeros(0, np.uint64), np.zeros(0, np.int64), 0
    for chunk in pool.chunks():
        column = chunk.pairs.source
        total += int(chunk.usable.sum())
        pairs = np.unique(np.repeat(np.arange(len(column)), column.lengths) * len(column.vocabulary) + column.ids)
        documents = np.bincount(pairs % max(1, len(column.vocabulary)), minlength=len(column.vocabulary))
        words, counts = _sum_counts(words, counts, column.hashes, documents)
    return TfIdf(words, np.log(total / counts))


def _sum_counts(words: UInt64s, counts: Int64s, new_words: UInt64s, documents: Int64s) -> tuple[UInt64s, Int64s]:
    union, place = np.unique(np.concatenate([words, new_words]), return_inverse=True)
    return union, np.bincount(place, np.concatenate([counts, documents]), len(union)).astype(np.int64)


@dataclass(frozen=True)
class TfIdfScorer:
    """Cosine of a source with sentences of a text: the maximum, the mean, or the cosine with the sum.

    `text_vectors` has a row for each sentence of the text.
    """

    weights: TfIdf
    text_vectors: csr_matrix
    take: Literal["most", "mean", "whole"] = "most"

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores in [0, 1]; shape (pairs,)."""
        vectors = self.weights.vectors(chunk.pairs.source)
        if self.take == "most":
            out = np.zeros(len(chunk))
            for first in range(0, self.text_vectors.shape[0], BLOCK):
                cosines = vectors @ self.text_vectors[first : first + BLOCK].T
                np.maximum(out, cosines.max(axis=1).toarray().ravel(), out=out)
            return out
        total = np.asarray(self.text_vectors.sum(0)).ravel()
        length = np.sqrt((total**2).sum()) if self.take == "whole" else self.text_vectors.shape[0]
        return np.asarray(vectors @ (total / length if length else total))
