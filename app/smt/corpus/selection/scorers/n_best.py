"""What n-best lists say of pairs: the best translation in reach, and the decoder's features (Song 2015, equation 2.35)."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.metrics import metric_named
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.scoring import Scorer
from app.smt.tuning.pairs.sentence_bleu import smoothed_bleu
from app.text.n_best import NBestLists
from app.text.reading.lines import decode_text
from app.text.reading.n_best_files import read_lists

__all__ = [
    "BLEU",
    "CombinedScorer",
    "FeatureScorer",
    "PlaceScorer",
    "feature_vectors",
    "lists_of",
    "oracle_scorer",
    "statistics_of",
]

BLEU: Final = "bleu|case:lc|tok:none|smooth:none"
# Sentences of the other text that are compared at once.
BLOCK: Final = 1000


@dataclass(frozen=True)
class PlaceScorer:
    """Scores by place in the pool, computed before."""

    scores: Float64s

    def score(self, chunk: PoolChunk) -> Float64s:
        """Of the chunk's places; minus infinity behind the last of them."""
        scores = self.scores[chunk.first : chunk.first + len(chunk)]
        return np.concatenate([scores, np.full(len(chunk) - len(scores), -np.inf)])


def lists_of(path: Path) -> NBestLists:
    """Lists in any form that is read; those of segment 0 are of the first pair."""
    return read_lists([path]).lists


def _targets(pool: Pool, lists: NBestLists, name: str) -> list[str]:
    with ExitStack() as stack:
        texts = [
            decode_text(line, str(pool.target), number).strip() for number, line in enumerate(read_lines(pool.target, stack), 1)
        ]
    if len(lists) > len(texts):
        raise InputError("unequal-lengths", f"{name} has lists of {len(lists)} segments, but {pool.target} has {len(texts)} lines")
    return texts[: len(lists)]


def statistics_of(pool: Pool, lists: NBestLists, name: str) -> Float64s:
    """BLEU's counts of each hypothesis against its pair's target, in lower case, words between blanks; shape (h, 10)."""
    prepared = metric_named(BLEU).prepare([_targets(pool, lists, name)])
    return prepared.statistics(lists.texts, lists.segments)


def oracle_scorer(pool: Pool, path: Path) -> PlaceScorer:
    """Add-one sentence BLEU of the best hypothesis against the pair's target; minus infinity without any hypothesis."""
    lists = lists_of(path)
    gains = smoothed_bleu(statistics_of(pool, lists, str(path)))
    scores = np.full(len(lists), -np.inf)
    np.maximum.at(scores, lists.segments, gains)
    return PlaceScorer(scores)


def feature_vectors(lists: NBestLists) -> tuple[Int64s, Float64s]:
    """Segments with hypotheses, and the features of each one's first, 0 where it lacks one."""
    there = np.flatnonzero(lists.lengths)
    return there, lists.values[lists.offsets[there]]


@dataclass(frozen=True)
class FeatureScorer:
    """The cosine of a pair's vector with those of another text: the largest, the mean, or that with the sum
    of its vectors, each of length 1.

    Rows of `vectors` (n, features) are places of the pool, NaN without hypotheses; `wanted` has a row a sentence of the other text.
    """

    vectors: Float64s
    wanted: Float64s
    take: Literal["most", "mean", "whole"] = "most"

    @classmethod
    def of(cls, path: Path, other: Path, take: Literal["most", "mean", "whole"], scaled: bool) -> "FeatureScorer":
        """From lists of both texts. Where `scaled`, columns lose the pool's mean and are divided by its standard deviation.

        InputError where the lists have not the same features.
        """
        lists, others = lists_of(path), lists_of(other)
        if lists.names != others.names or not lists.names:
            raise InputError("invalid-table", f"{path} and {other} have not the same features", ("--wanted-n-best",))
        (places, vectors), (_, wanted) = feature_vectors(lists), feature_vectors(others)
        if scaled:
            mean, spread = vectors.mean(0), vectors.std(0)
            vectors, wanted = ((rows - mean) / np.where(spread > 0, spread, 1.0) for rows in (vectors, wanted))
        rows = np.full((len(lists), vectors.shape[1]), np.nan)
        rows[places] = vectors
        return cls(rows, wanted, take)

    def score(self, chunk: PoolChunk) -> Float64s:
        """In [-1, 1]; minus infinity for pairs without hypotheses."""
        vectors = _unit(self.vectors[chunk.first : chunk.first + len(chunk)])
        if self.take == "most":
            out = np.full(len(vectors), -np.inf)
            for first in range(0, len(self.wanted), BLOCK):
                out = np.maximum(out, (vectors @ _unit(self.wanted[first : first + BLOCK]).T).max(1))
        elif self.take == "mean":
            out = vectors @ _unit(self.wanted).mean(0)
        else:
            out = vectors @ _unit(_unit(self.wanted).sum(0)[None])[0]
        return PlaceScorer(np.where(np.isnan(out), -np.inf, out)).score(PoolChunk(0, chunk.paths, chunk.lines))


def _unit(rows: Float64s) -> Float64s:
    """Rows of length 1; those of 0 stay."""
    norms = np.sqrt((rows**2).sum(1, keepdims=True))
    return rows / np.where(norms > 0, norms, 1.0)


@dataclass(frozen=True)
class CombinedScorer:
    """``(1 - weight) * first + weight * second``."""

    first: Scorer
    second: Scorer
    weight: float

    def score(self, chunk: PoolChunk) -> Float64s:
        """Minus infinity where either is."""
        first, second = self.first.score(chunk), self.second.score(chunk)
        lacking = np.isinf(first) | np.isinf(second)
        first, second = (np.where(lacking, 0.0, values) for values in (first, second))
        return np.where(lacking, -np.inf, (1 - self.weight) * first + self.weight * second)
