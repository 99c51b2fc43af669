"""Scores from n-best lists: best reachable translation, and features of the decoder (Song 2015, equation 2.35)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import metric_named
from app.smt.corpus.lines import numbered_lines
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.scoring import PlaceScorer, Scorer
from app.smt.tuning.pairs.sentence_bleu import smoothed_bleu
from app.text.n_best import NBestLists
from app.text.reading.n_best_files import read_lists

__all__ = ["BLEU", "CombinedScorer", "FeatureScorer", "feature_vectors", "lists_of", "oracle_scorer", "statistics_of"]

BLEU: Final = "bleu|case:lc|tok:none|smooth:none"
# Sentences of a block of comparisons.
BLOCK: Final = 1000


def lists_of(path: Path) -> NBestLists:
    """Read lists of any format; segment 0 belongs to the first pair."""
    return read_lists([path]).lists


def _targets(pool: Pool, lists: NBestLists, name: str) -> list[str]:
    texts = [line.strip() for _, line in numbered_lines(pool.target)]
    if len(lists) > len(texts):
        raise InputError("unequal-lengths", f"{name} has lists of {len(lists)} segments, but {pool.target} has {len(texts)} lines")
    return texts[: len(lists)]


def statistics_of(pool: Pool, lists: NBestLists, name: str) -> Float64s:
    """BLEU counts of each hypothesis against the target of its pair, lower-cased, tokenised at blanks; shape (h, 10)."""
    references = metric_named(BLEU).prepare([_targets(pool, lists, name)])
    return references.statistics(lists.texts, lists.segments)


def oracle_scorer(pool: Pool, path: Path) -> PlaceScorer:
    """Scores by add-one sentence BLEU of the best hypothesis against the target; minus infinity without hypotheses."""
    lists = lists_of(path)
    gains = smoothed_bleu(statistics_of(pool, lists, str(path)))
    scores = np.full(len(lists), -np.inf)
    np.maximum.at(scores, lists.segments, gains)
    return PlaceScorer(scores)


def feature_vectors(lists: NBestLists) -> tuple[Int64s, Float64s]:
    """Segments with hypotheses, and features of their first hypothesis, 0 for a missing feature."""
    segments = np.flatnonzero(lists.lengths)
    return segments, lists.values[lists.offsets[segments]]


@dataclass(frozen=True)
class FeatureScorer:
    """Cosine of the vector of a pair with vectors of a text: the maximum, the mean, or the cosine with the sum of unit vectors.

    `vectors` has a row for each pair of the pool, NaN without hypotheses; `text_vectors` has a row for each sentence of the text.
    """

    vectors: Float64s
    text_vectors: Float64s
    take: Literal["most", "mean", "whole"] = "most"

    @classmethod
    def of(cls, path: Path, text_path: Path, take: Literal["most", "mean", "whole"], scaled: bool) -> "FeatureScorer":
        """Scorer from lists of pool and text. `scaled` standardises features by mean and deviation of the pool.

        InputError if the lists have different features.
        """
        lists, text_lists = lists_of(path), lists_of(text_path)
        if lists.names != text_lists.names or not lists.names:
            raise InputError("invalid-table", f"{path} and {text_path} have different features", ("--wanted-n-best",))
        (places, vectors), (_, text_vectors) = feature_vectors(lists), feature_vectors(text_lists)
        if scaled:
            mean, spread = vectors.mean(0), vectors.std(0)
            vectors, text_vectors = ((rows - mean) / np.where(spread > 0, spread, 1.0) for rows in (vectors, text_vectors))
        rows = np.full((len(lists), vectors.shape[1]), np.nan)
        rows[places] = vectors
        return cls(rows, text_vectors, take)

    def score(self, chunk: PoolChunk) -> Float64s:
        """In [-1, 1]; minus infinity for pairs without hypotheses."""
        vectors = _unit(self.vectors[chunk.first : chunk.first + len(chunk)])
        if self.take == "most":
            out = np.full(len(vectors), -np.inf)
            for first in range(0, len(self.text_vectors), BLOCK):
                out = np.maximum(out, (vectors @ _unit(self.text_vectors[first : first + BLOCK]).T).max(1))
        elif self.take == "mean":
            out = vectors @ _unit(self.text_vectors).mean(0)
        else:
            out = vectors @ _unit(_unit(self.text_vectors).sum(0)[None])[0]
        return PlaceScorer(np.where(np.isnan(out), -np.inf, out)).score(PoolChunk(0, chunk.paths, chunk.lines))


def _unit(rows: Float64s) -> Float64s:
    """Rows scaled to length 1; zero rows stay."""
    norms = np.sqrt((rows**2).sum(1, keepdims=True))
    return rows / np.where(norms > 0, norms, 1.0)


@dataclass(frozen=True)
class CombinedScorer:
    """``(1 - weight) * first + weight * second``."""

    first: Scorer
    second: Scorer
    weight: float

    def score(self, chunk: PoolChunk) -> Float64s:
        """Combined scores, minus infinity if either score is; shape (pairs,)."""
        first, second = self.first.score(chunk), self.second.score(chunk)
        lacking = np.isinf(first) | np.isinf(second)
        first, second = (np.where(lacking, 0.0, values) for values in (first, second))
        return np.where(lacking, -np.inf, (1 - self.weight) * first + self.weight * second)
