"""Weighted counts of phrases: corpora and mean scores of the sentence pairs that a phrase is of (Shah et al. 2012, eq. 3 and 4)."""

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
    """The weigher of phrase tables: a pair of phrases counts ``sum_c w_c Count_c prod_s h_cs ** power_s``.

    h is the arithmetic mean of score s over the sentence pairs of corpus c that the pair of phrases is extracted from, each of
    them once, however often the phrases are in it; Count is of all occurrences. Each of these is given an equal part, so that
    frequencies of phrases, of orientations and of links follow.
    """

    pairs: PairScores
    powers: Mapping[str, float]

    @property
    def sentences(self) -> int:
        """How many sentence pairs have scores."""
        return len(self.pairs)

    @property
    def options(self) -> list[str]:
        """Powers of scores as words of a command, for manifests."""
        return [word for name in self.pairs.scores for word in ("--power", f"{name}={self.powers.get(name, DEFAULT_POWER):g}")]

    @cached_property
    def _scores(self) -> Float64s:
        return np.array(list(self.pairs.scores.values())).reshape(len(self.pairs.scores), len(self.pairs))

    def __call__(self, pairs: Int64s, sentences: Int64s) -> Float64s:
        """Weights of records of pairs of phrases (numbers from 0) in sentence pairs (from 1)."""
        if len(sentences) and sentences.max() > len(self.pairs):
            detail = f"there are scores of {len(self.pairs)} sentence pairs, but phrases of the {sentences.max()}th"
            raise InputError("unequal-lengths", detail, ("--pair-scores",))
        rows = sentences - 1
        corpora = self.pairs.labels.ids[rows]
        _, group = np.unique(pairs * len(self.pairs.corpora) + corpora, return_inverse=True)
        weights = self.pairs.corpora[corpora].astype(np.float64)
        # One record for each sentence pair that a pair of phrases is of.
        _, once = np.unique(pairs * len(self.pairs) + rows, return_index=True)
        group_once, rows_once = group[once], rows[once]
        sentence_pairs = np.bincount(group_once)
        for name, scores in zip(self.pairs.scores, self._scores, strict=True):
            means = np.bincount(group_once, scores[rows_once]) / sentence_pairs
            weights *= (means ** self.powers.get(name, DEFAULT_POWER))[group]
        return weights
