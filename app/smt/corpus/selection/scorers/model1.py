"""IBM model 1 as a scorer of pairs (Brown et al. 1993; Khadivi and Ney 2005)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, UInt64s
from app.building.alignment.variational_kernels import expect_model1, pair_entries
from app.errors import InputError
from app.smt.corpus.selection.pool import PoolChunk
from app.smt.corpus.selection.scorers.model1_kernels import score_model1
from app.text.hashing import combine_all
from app.text.parallel_corpus import ParallelCorpus
from app.text.ragged import offsets_of

__all__ = ["FLOOR", "ITERATIONS", "Model1", "Model1Scorer", "train_model1"]

ITERATIONS: Final = 5
# Probability of two words without a common pair in training.
FLOOR: Final = 1e-7


@dataclass(frozen=True)
class Model1:
    """p(target word | source word), with sorted keys of hashes of both words; 12 bytes for each pair of words."""

    keys: UInt64s
    probabilities: Float32s

    def score(self, pairs: ParallelCorpus, floor: float = FLOOR) -> Float64s:
        """Mean natural log-probability of a target word given the source, for each pair; shape (n,)."""
        sides = [part for side in (pairs.source, pairs.target) for part in (side.hashes, side.ids, side.offsets)]
        return np.asarray(score_model1(*sides, self.keys, self.probabilities, floor))


def train_model1(pairs: ParallelCorpus, iterations: int = ITERATIONS) -> Model1:
    """Train by EM from uniform probabilities, with an empty word. Deterministic; about 30 bytes for each pair of words."""
    if not ((pairs.source.lengths > 0) & (pairs.target.lengths > 0)).any():
        raise InputError("empty-input", "model 1 needs a pair with words on both sides")
    source, target = pairs.source.ids.astype(np.int64) + 1, pairs.target.ids.astype(np.int64)
    offsets = offsets_of((pairs.source.lengths + 1) * pairs.target.lengths)
    width = max(1, len(pairs.target.vocabulary))
    cells, entry = np.unique(
        pair_entries(source, pairs.source.offsets, target, pairs.target.offsets, offsets, width), return_inverse=True
    )
    group, column = cells // width, cells % width
    entry = entry.astype(np.int32)
    table = 1.0 / np.bincount(group)[group]
    for _ in range(iterations):
        counts, _ = expect_model1(entry, offsets, pairs.source.offsets, pairs.target.offsets, table)
        table = counts / np.bincount(group, counts)[group]
    mask = table >= FLOOR
    hashes = np.append(np.zeros(1, np.uint64), pairs.source.hashes)
    keys = combine_all(hashes[group[mask]], pairs.target.hashes[column[mask]])
    order = np.argsort(keys)
    return Model1(keys[order], table[mask][order].astype(np.float32))


@dataclass(frozen=True)
class Model1Scorer:
    """Mean log-probability of a word over both directions.

    `agreement` subtracts the difference of the directions, as in the dual conditional cross-entropy (Junczys-Dowmunt 2018):
    translations have similar probabilities both ways.
    """

    forward: Model1
    reverse: Model1
    floor: float = FLOOR
    agreement: bool = False

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores up to 0, higher is better; shape (pairs,)."""
        pairs = chunk.pairs
        straight, inverse = self.forward.score(pairs, self.floor), self.reverse.score(pairs.reversed, self.floor)
        return (straight + inverse) / 2 - (np.abs(straight - inverse) if self.agreement else 0.0)
