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

from app.arrays import Float32s, Float64s, Int32s, Int64s
from app.building.alignment.directions import in_both
from app.building.alignment.joint_kernels import agree, choose_links, count_cells, expect_posteriors
from app.building.alignment.variational_kernels import expect_model1
from app.building.alignment.word_pairs import WordPairs

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

    def expected(self) -> Float32s:
        """The posterior of every cell; jumps become those that it expects."""
        posterior, jumps, _ = expect_posteriors(*self.cells, self.table, self.jumps, EMPTY_SHARE)
        self.jumps = (jumps + 1e-3) / (jumps + 1e-3).sum()
        return np.asarray(posterior, np.float32)

    def learn(self, posterior: Float32s) -> None:
        """Take the table that the posterior of every cell makes best."""
        self.table = self.maximised(count_cells(self.pairs.entry, posterior, len(self.pairs)))

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
    directions = in_both(_Direction, both)
    offsets = both[0].source_offsets, both[0].target_offsets
    for _ in range(HMM_ITERATIONS):
        posteriors = in_both(_Direction.expected, directions)
        agree(*posteriors, both[0].entry_offsets, both[1].entry_offsets, *offsets)
        in_both(_Direction.learn, directions, posteriors)
    first, second = (
        Start(choose_links(posterior, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets), direction.stems)
        for posterior, pairs, direction in zip(in_both(_Direction.expected, directions), both, directions, strict=True)
    )
    return first, second
