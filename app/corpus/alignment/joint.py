"""First links and priors for sampling: an HMM in each direction, trained by what both agree on.

Liang, Taskar and Klein 2006 (counts are products of both directions' posteriors), with variational Bayes (see `variational`) and a
prior that knows more than that translations are few: words with the same first letters share translations, and words that are
written alike, as names and numbers are, translate each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import digamma

from app.arrays import Float64s, Int32s, Int64s
from app.corpus.alignment.joint_kernels import agree, choose_links, count_cells, expect_posteriors
from app.corpus.alignment.variational_kernels import expect_model1
from app.corpus.alignment.word_pairs import WordPairs

__all__ = ["FARTHEST_JUMP", "PRIOR", "Start", "alike", "prior_of", "start"]

FARTHEST_JUMP: Final = 30
MODEL1_ITERATIONS: Final = 4
HMM_ITERATIONS: Final = 6
EMPTY_SHARE: Final = 0.1
# Concentration of the Dirichlet prior of each source word's translations, and of those of its first letters.
PRIOR: Final = 0.01
# What words that are written alike add to it: the cube of their similarity from here on.
ALIKE: Final = 0.5
# In the first table words that are the same are so many times as probable as others.
FIRST_ALIKE: Final = 20.0
# A weight is at least this, so that every segment has some probability.
SMALLEST: Final = 1e-30


@dataclass(frozen=True)
class Start:
    """The source place of every target token (-1 for none), and the weight of each row's first letters, at most 1."""

    links: Int32s
    stems: Float64s


def alike(pairs: WordPairs) -> Float64s:
    """What being written alike adds to the prior of each row."""
    return np.where(pairs.similarity >= ALIKE, pairs.similarity.astype(np.float64) ** 3, 0.0)


def prior_of(pairs: WordPairs, stems: Float64s) -> Float64s:
    """The concentration of each row, from the weight of its first letters and its spelling."""
    return PRIOR + stems + alike(pairs)


class _Direction:
    """A direction in training: its table and jumps."""

    def __init__(self, pairs: WordPairs) -> None:
        self.pairs = pairs
        _, first, self.stem, self.forms = np.unique(pairs.stem_keys, return_index=True, return_inverse=True, return_counts=True)
        # The stem of a row's source word, as any row of it that has it.
        stems = np.unique(pairs.stem_hashes, return_inverse=True)[1]
        self.stem_group = stems[pairs.group[first]]
        self.alike = alike(pairs)
        uniform = (1 + FIRST_ALIKE * self.alike) / np.bincount(pairs.group)[pairs.group]
        self.jumps = np.exp(-0.5 * np.abs(np.arange(-FARTHEST_JUMP, FARTHEST_JUMP + 1) - 1.0))
        self.stems = np.zeros(len(pairs))
        self.table = self.maximised(self.model1_counts(uniform))
        for _ in range(MODEL1_ITERATIONS):
            self.table = self.maximised(self.model1_counts(self.table))

    @property
    def cells(self) -> tuple[Int32s, ...]:
        pairs = self.pairs
        return pairs.entry, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets  # type: ignore[return-value]

    def model1_counts(self, table: Float64s) -> Float64s:
        counts, _ = expect_model1(*self.cells, table)
        return np.asarray(counts, np.float64)

    def maximised(self, counts: Float64s) -> Float64s:
        """Weights exp E[log t] of words, whose prior holds those of their first letters."""
        together = np.bincount(self.stem, weights=counts).astype(np.float64)
        prior = np.asarray(PRIOR + np.bincount(self.stem, weights=self.alike) / self.forms, np.float64)
        self.stems = (_weights(together, prior, self.stem_group) / self.forms)[self.stem]
        return _weights(counts, prior_of(self.pairs, self.stems), self.pairs.group)


def _weights(counts: Float64s, prior: Float64s, group: Int64s) -> Float64s:
    totals = np.bincount(group, weights=counts + prior)
    # Words that head no row have nothing to share.
    weights: Float64s = np.exp(digamma(counts + prior) - digamma(np.maximum(totals, PRIOR))[group])
    return np.maximum(weights, SMALLEST)


def start(both: Sequence[WordPairs]) -> tuple[Start, Start]:
    """Train on the pairs of words of both directions together; O(iterations × Σ I J (I + J))."""
    directions = [_Direction(pairs) for pairs in both]
    offsets = both[0].source_offsets, both[0].target_offsets
    links: list[Int32s] = []
    for iteration in range(HMM_ITERATIONS + 1):
        posteriors = []
        for direction in directions:
            posterior, jumps, _ = expect_posteriors(*direction.cells, direction.table, direction.jumps, EMPTY_SHARE)
            direction.jumps = (jumps + 1e-3) / (jumps + 1e-3).sum()
            posteriors.append(posterior)
        if iteration == HMM_ITERATIONS:
            links = [
                choose_links(posterior, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets)
                for posterior, pairs in zip(posteriors, both, strict=True)
            ]
            break
        agree(*posteriors, both[0].entry_offsets, both[1].entry_offsets, *offsets)
        for direction, posterior in zip(directions, posteriors, strict=True):
            direction.table = direction.maximised(count_cells(direction.pairs.entry, posterior, len(direction.pairs)))
    first, second = (Start(linked, direction.stems) for linked, direction in zip(links, directions, strict=True))
    return first, second
