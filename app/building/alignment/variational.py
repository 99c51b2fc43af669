"""Word alignment by IBM model 1 and the HMM model, trained with variational EM.

Sources: Brown et al. 1993 for model 1. Vogel et al. 1996 and Och and Ney 2003 for the HMM with one empty word per source position.
Riley and Gildea 2012 for the sparse Dirichlet prior on translation probabilities, which keeps rare words from explaining
everything. Alignment is directed: every target token picks one source token or the empty word. The jump distribution is not
renormalised at segment edges, so that each M-step is exact and the bound on the likelihood can only rise.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from app.arrays import Float64s, Int32s, Int64s
from app.building.alignment.variational_kernels import align_hmm, expect_hmm, expect_model1, pair_entries
from app.errors import InputError
from app.text.parallel_corpus import ParallelCorpus
from app.text.ragged import offsets_of

__all__ = ["AlignmentTraining", "train_alignment"]

MODEL1_ITERATIONS = 5
HMM_ITERATIONS = 5
# Jumps are counted from -MAX_JUMP to MAX_JUMP; longer ones share the outermost cells.
MAX_JUMP = 30
EMPTY_SHARE = 0.1
# Concentration of the Dirichlet prior of each source word's translations.
PRIOR = 0.01
# No jump is impossible.
SMALLEST = 1e-12


@dataclass(frozen=True)
class AlignmentTraining:
    """Result of training: directed links and the perplexity of each iteration.

    `source_of` is the place of the source token, in its segment, of every target token of the corpus; -1 for the empty word.
    `perplexities` holds model 1's iterations first, then the HMM's: exp(-F / target tokens), where F is the
    variational lower bound on the log-likelihood, measured in each E-step.
    """

    source_of: Int32s
    perplexities: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class _Corpus:
    source_offsets: Int64s
    target_offsets: Int64s
    entry: Int32s
    entry_offsets: Int64s
    group: Int64s


def train_alignment(
    pairs: ParallelCorpus, model1_iterations: int = MODEL1_ITERATIONS, hmm_iterations: int = HMM_ITERATIONS
) -> AlignmentTraining:
    """Train on the pairs and align them. Deterministic; O(iterations × Σ I² J)."""
    if not ((pairs.source.lengths > 0) & (pairs.target.lengths > 0)).any():
        raise InputError("empty-input", "alignment needs at least one segment with tokens on both sides")
    corpus = _index(pairs)
    uniform = 1.0 / np.bincount(corpus.group)[corpus.group]
    counts, _ = _expect_model1(corpus, uniform)
    table, divergence = _maximised(counts, corpus.group)
    first: list[float] = []
    for _ in range(model1_iterations):
        counts, likelihood = _expect_model1(corpus, table)
        first.append(_perplexity(likelihood - divergence, corpus))
        table, divergence = _maximised(counts, corpus.group)
    jumps = np.exp(-0.5 * np.abs(np.arange(-MAX_JUMP, MAX_JUMP + 1) - 1.0))
    jumps /= jumps.sum()
    empty = EMPTY_SHARE
    second: list[float] = []
    for _ in range(hmm_iterations):
        counts, jump_counts, empties, likelihood = expect_hmm(
            corpus.entry, corpus.entry_offsets, corpus.source_offsets, corpus.target_offsets, table, jumps, empty
        )
        second.append(_perplexity(likelihood - divergence, corpus))
        table, divergence = _maximised(counts, corpus.group)
        jumps = np.maximum(jump_counts, SMALLEST) / np.maximum(jump_counts, SMALLEST).sum()
        empty = float(empties / corpus.target_offsets[-1])
    links = align_hmm(corpus.entry, corpus.entry_offsets, corpus.source_offsets, corpus.target_offsets, table, jumps, empty)
    return AlignmentTraining(links, (tuple(first), tuple(second)))


def _expect_model1(corpus: _Corpus, table: Float64s) -> tuple[Float64s, float]:
    counts, likelihood = expect_model1(corpus.entry, corpus.entry_offsets, corpus.source_offsets, corpus.target_offsets, table)
    return counts, float(likelihood)


def _maximised(counts: Float64s, group: Int64s) -> tuple[Float64s, float]:
    """Weights exp E[log t] under each source word's Dirichlet posterior, and its divergence from the prior."""
    size, total = np.bincount(group), np.bincount(group, weights=counts)
    has_pairs = size > 0
    size, total = size[has_pairs], total[has_pairs]
    # Groups are numbered by source words; some words head no pair.
    place = (np.cumsum(has_pairs) - 1)[group]
    posterior = total + size * PRIOR
    expected = digamma(counts + PRIOR) - digamma(posterior)[place]
    divergence = (
        gammaln(posterior).sum()
        - gammaln(size * PRIOR).sum()
        - (gammaln(counts + PRIOR) - gammaln(PRIOR)).sum()
        + (counts * expected).sum()
    )
    return np.exp(expected), float(divergence)


def _perplexity(bound: float, corpus: _Corpus) -> float:
    return float(np.exp(-bound / max(1, int(corpus.target_offsets[-1]))))


def _index(pairs: ParallelCorpus) -> _Corpus:
    """Number every co-occurring word pair; source word 0 is the empty word."""
    source, target = pairs.source.ids.astype(np.int64) + 1, pairs.target.ids.astype(np.int64)
    entry_offsets = offsets_of((pairs.source.lengths + 1) * pairs.target.lengths)
    words = max(1, len(pairs.target.vocabulary))
    keys = pair_entries(source, pairs.source.offsets, target, pairs.target.offsets, entry_offsets, words)
    distinct, entry = np.unique(keys, return_inverse=True)
    return _Corpus(pairs.source.offsets, pairs.target.offsets, entry.astype(np.int32), entry_offsets, distinct // words)
