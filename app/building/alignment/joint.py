"""First links and priors for sampling: an HMM in each direction, trained by what both agree on.

Liang, Taskar and Klein 2006 (counts are products of both directions' posteriors), with variational Bayes (see `variational`). The
prior favours few translations. Words with equal first letters share translations, and words with similar spelling, such as names
and numbers, translate each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import digamma

from app.arrays import Float32s, Float64s, Int32s, Int64s
from app.building.alignment.directions import for_both_directions
from app.building.alignment.joint_kernels import agree, choose_links, count_cells, expect_posteriors
from app.building.alignment.variational_kernels import expect_model1
from app.building.alignment.word_pairs import WordPairs

__all__ = ["FARTHEST_JUMP", "PRIOR", "Start", "prior_of", "spelling_prior", "start"]

FARTHEST_JUMP: Final = 30
MODEL1_ITERATIONS: Final = 4
HMM_ITERATIONS: Final = 6
EMPTY_SHARE: Final = 0.1
# Concentration of the Dirichlet prior of each source word's translations, and of those of its first letters.
PRIOR: Final = 0.01
# Least similarity of spelling that adds its cube to the prior.
LEAST_SIMILARITY: Final = 0.5
# In the first table equal words are this many times as probable as others.
FIRST_SIMILARITY_FACTOR: Final = 20.0
# A weight is at least this, so that every segment has some probability.
SMALLEST: Final = 1e-30


@dataclass(frozen=True)
class Start:
    """The source place of every target token (-1 for none), and the weight of each row's first letters, at most 1."""

    links: Int32s
    stems: Float64s


def spelling_prior(pairs: WordPairs) -> Float64s:
    """Addition of similar spelling to the prior of each row; shape (rows,)."""
    return np.where(pairs.similarity >= LEAST_SIMILARITY, pairs.similarity.astype(np.float64) ** 3, 0.0)


def prior_of(pairs: WordPairs, stems: Float64s) -> Float64s:
    """The concentration of each row, from the weight of its first letters and its spelling."""
    return PRIOR + stems + spelling_prior(pairs)


class _Direction:
    """A direction in training: its table and jumps."""

    def __init__(self, pairs: WordPairs) -> None:
        self.pairs = pairs
        _, first, self.stem, self.forms = np.unique(pairs.stem_keys, return_index=True, return_inverse=True, return_counts=True)
        # The stem of a row's source word, as any row of it that has it.
        stems = np.unique(pairs.stem_hashes, return_inverse=True)[1]
        self.stem_group = stems[pairs.group[first]]
        self.spelling_prior = spelling_prior(pairs)
        uniform = (1 + FIRST_SIMILARITY_FACTOR * self.spelling_prior) / np.bincount(pairs.group)[pairs.group]
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
        stem_counts = np.bincount(self.stem, weights=counts).astype(np.float64)
        prior = np.asarray(PRIOR + np.bincount(self.stem, weights=self.spelling_prior) / self.forms, np.float64)
        self.stems = (_weights(stem_counts, prior, self.stem_group) / self.forms)[self.stem]
        return _weights(counts, prior_of(self.pairs, self.stems), self.pairs.group)


def _weights(counts: Float64s, prior: Float64s, group: Int64s) -> Float64s:
    totals = np.bincount(group, weights=counts + prior)
    # Words that head no row have nothing to share.
    weights: Float64s = np.exp(digamma(counts + prior) - digamma(np.maximum(totals, PRIOR))[group])
    return np.maximum(weights, SMALLEST)


def start(sides: Sequence[WordPairs]) -> tuple[Start, Start]:
    """Train on the pairs of words of both directions together; O(iterations × Σ I J (I + J))."""
    directions = for_both_directions(_Direction, sides)
    offsets = sides[0].source_offsets, sides[0].target_offsets
    for _ in range(HMM_ITERATIONS):
        posteriors = for_both_directions(_Direction.expected, directions)
        agree(*posteriors, sides[0].entry_offsets, sides[1].entry_offsets, *offsets)
        for_both_directions(_Direction.learn, directions, posteriors)
    first, second = (
        Start(choose_links(posterior, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets), direction.stems)
        for posterior, pairs, direction in zip(for_both_directions(_Direction.expected, directions), sides, directions, strict=True)
    )
    return first, second
