"""Likeness to a text that is to be translated: cosines of words weighted by TF-IDF (Song 2015, equations 2.32 to 2.34)."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.sparse import csr_matrix, diags

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.text.batch import TokenColumn

__all__ = ["TfIdf", "TfIdfScorer", "count_documents"]

# Sentences of the other text that are compared at once.
BLOCK: Final = 1000


@dataclass(frozen=True)
class TfIdf:
    """Weights of words, by sorted hashes: log(sentences / sentences with the word)."""

    words: UInt64s
    weights: Float64s

    def vectors(self, column: TokenColumn) -> csr_matrix:
        """Counts times weights, of length 1 or, where no word weighs anything, 0; shape (n, words)."""
        place = np.minimum(np.searchsorted(self.words, column.hashes), len(self.words) - 1)
        there = self.words[place] == column.hashes
        kept = there[column.ids] if len(column.ids) else np.zeros(0, np.bool_)
        rows = np.repeat(np.arange(len(column)), column.lengths)[kept]
        columns = place[column.ids[kept]]
        counts = csr_matrix((self.weights[columns], (rows, columns)), (len(column), len(self.words)))
        norms = np.sqrt(np.asarray(counts.multiply(counts).sum(1)).ravel())
        return csr_matrix(diags(np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0)) @ counts)


def count_documents(pool: Pool) -> TfIdf:
    """Weights from one pass over the sources of a pool, a sentence a document; 16 bytes a distinct word."""
    words, counts, total = np.zeros(0, np.uint64), np.zeros(0, np.int64), 0
    for chunk in pool.chunks():
        column = chunk.pairs.source
        total += int(chunk.usable.sum())
        pairs = np.unique(np.repeat(np.arange(len(column)), column.lengths) * len(column.vocabulary) + column.ids)
        documents = np.bincount(pairs % max(1, len(column.vocabulary)), minlength=len(column.vocabulary))
        words, counts = _added(words, counts, column.hashes, documents)
    return TfIdf(words, np.log(total / counts))


def _added(words: UInt64s, counts: Int64s, more: UInt64s, documents: Int64s) -> tuple[UInt64s, Int64s]:
    merged, place = np.unique(np.concatenate([words, more]), return_inverse=True)
    return merged, np.bincount(place, np.concatenate([counts, documents]), len(merged)).astype(np.int64)


@dataclass(frozen=True)
class TfIdfScorer:
    """The cosine of a source with the sentence of another text that is most like it, their mean, or that with the text as a whole.

    `wanted` are the vectors of that text's sentences.
    """

    weights: TfIdf
    wanted: csr_matrix
    take: Literal["most", "mean", "whole"] = "most"

    def score(self, chunk: PoolChunk) -> Float64s:
        """In [0, 1]."""
        vectors = self.weights.vectors(chunk.pairs.source)
        if self.take == "most":
            out = np.zeros(len(chunk))
            for first in range(0, self.wanted.shape[0], BLOCK):
                cosines = vectors @ self.wanted[first : first + BLOCK].T
                np.maximum(out, cosines.max(axis=1).toarray().ravel(), out=out)
            return out
        whole = np.asarray(self.wanted.sum(0)).ravel()
        length = np.sqrt((whole**2).sum()) if self.take == "whole" else self.wanted.shape[0]
        return np.asarray(vectors @ (whole / length if length else whole))
