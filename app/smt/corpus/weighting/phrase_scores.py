"""Weighted counts of phrase pairs, from corpora and mean scores of their sentence pairs (Shah et al. 2012, eq. 3 and 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.smt.corpus.weighting.sentence_weights import DEFAULT_POWER, PairScores

__all__ = ["PhraseScores"]


@dataclass(frozen=True)
class PhraseScores:
    """Weigher of phrase tables: the count of a phrase pair is ``sum_c w_c Count_c prod_s h_cs ** power_s``.

    Count_c counts occurrences in corpus c. h_cs is the mean of score s over distinct sentence pairs of corpus c with this phrase
    pair. Each occurrence has an equal part of the weight; frequencies of orientations and of links follow it too.
    """

    pairs: PairScores
    powers: Mapping[str, float]

    @property
    def sentences(self) -> int:
        """Number of sentence pairs with scores."""
        return len(self.pairs)

    @property
    def options(self) -> list[str]:
        """Powers of scores as options of the command line, for manifests."""
        return [word for name in self.pairs.scores for word in ("--power", f"{name}={self.powers.get(name, DEFAULT_POWER):g}")]

    @cached_property
    def _scores(self) -> Float64s:
        return np.array(list(self.pairs.scores.values())).reshape(len(self.pairs.scores), len(self.pairs))

    def __call__(self, pairs: Int64s, sentences: Int64s) -> Float64s:
        """Weights of records, shape (records,), from indices of phrase pairs (from 0) and of sentence pairs (from 1)."""
        if len(sentences) and sentences.max() > len(self.pairs):
            detail = f"the file has scores of {len(self.pairs)} sentence pairs, but phrases come from pair {sentences.max()}"
            raise InputError("unequal-lengths", detail, ("--pair-scores",))
        rows = sentences - 1
        corpora = self.pairs.labels.ids[rows]
        _, group = np.unique(pairs * len(self.pairs.corpora) + corpora, return_inverse=True)
        weights = self.pairs.corpora[corpora].astype(np.float64)
        # One record for each sentence pair of a phrase pair.
        _, first_records = np.unique(pairs * len(self.pairs) + rows, return_index=True)
        distinct_groups, distinct_rows = group[first_records], rows[first_records]
        sentence_pairs = np.bincount(distinct_groups)
        for name, scores in zip(self.pairs.scores, self._scores, strict=True):
            means = np.bincount(distinct_groups, scores[distinct_rows]) / sentence_pairs
            weights *= (means ** self.powers.get(name, DEFAULT_POWER))[group]
        return weights
