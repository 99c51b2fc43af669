"""Word alignment by IBM model 1 and the HMM model, trained with variational EM.

Brown et al. 1993 (model 1); Vogel et al. 1996 and Och and Ney 2003 (HMM with one empty word per
source position); Riley and Gildea 2012 (a sparse Dirichlet prior on translation probabilities keeps rare
words from explaining everything). Alignment is directed: every target token picks one source token or
the empty word. The jump distribution is not renormalised at segment edges, so that each M-step is exact
and the bound on the likelihood can only rise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from app.arrays import Float64s, Int32s, Int64s
from app.corpus.alignment_kernels import align_hmm, expect_hmm, expect_model1, pair_entries
from app.errors import InputError
from app.text.ngrams import number_words

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
    """What training gave: directed links per segment and the perplexity of each iteration.

    ``links[i][j]`` is the source token of target token j of segment i, or -1 for the empty word.
    `perplexities` holds model 1's iterations first, then the HMM's: exp(-F / target tokens), where F is the
    variational lower bound on the log-likelihood, measured in each E-step.
    """

    links: tuple[Int32s, ...]
    perplexities: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class _Corpus:
    source: Int32s
    source_offsets: Int64s
    target: Int32s
    target_offsets: Int64s
    entry: Int32s
    entry_offsets: Int64s
    group: Int64s


def train_alignment(
    sources: Sequence[Sequence[str]],
    targets: Sequence[Sequence[str]],
    model1_iterations: int = MODEL1_ITERATIONS,
    hmm_iterations: int = HMM_ITERATIONS,
) -> AlignmentTraining:
    """Train on tokenised segments and align them. Deterministic; O(iterations × Σ I² J)."""
    if len(sources) != len(targets):
        raise InputError("unequal-lengths", f"{len(sources)} source segments but {len(targets)} target segments")
    if not any(len(s) and len(t) for s, t in zip(sources, targets, strict=True)):
        raise InputError("empty-input", "alignment needs at least one segment with tokens on both sides")
    corpus = _index(sources, targets)
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
    pieces = np.split(links, corpus.target_offsets[1:-1])
    return AlignmentTraining(tuple(pieces), (tuple(first), tuple(second)))


def _expect_model1(corpus: _Corpus, table: Float64s) -> tuple[Float64s, float]:
    counts, likelihood = expect_model1(corpus.entry, corpus.entry_offsets, corpus.source_offsets, corpus.target_offsets, table)
    return counts, float(likelihood)


def _maximised(counts: Float64s, group: Int64s) -> tuple[Float64s, float]:
    """Weights exp E[log t] under each source word's Dirichlet posterior, and its divergence from the prior."""
    size, total = np.bincount(group), np.bincount(group, weights=counts)
    there = size > 0
    size, total = size[there], total[there]
    # Groups are numbered by source words; some words head no pair.
    place = (np.cumsum(there) - 1)[group]
    whole = total + size * PRIOR
    expected = digamma(counts + PRIOR) - digamma(whole)[place]
    divergence = (
        gammaln(whole).sum()
        - gammaln(size * PRIOR).sum()
        - (gammaln(counts + PRIOR) - gammaln(PRIOR)).sum()
        + (counts * expected).sum()
    )
    return np.exp(expected), float(divergence)


def _perplexity(bound: float, corpus: _Corpus) -> float:
    return float(np.exp(-bound / max(1, int(corpus.target_offsets[-1]))))


def _index(sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> _Corpus:
    """Number every co-occurring word pair; source word 0 is the empty word."""
    _, source, source_lengths = number_words(sources, ("",))
    target_words, target, target_lengths = number_words(targets)
    source_offsets = np.concatenate([[0], np.cumsum(source_lengths)]).astype(np.int64)
    target_offsets = np.concatenate([[0], np.cumsum(target_lengths)]).astype(np.int64)
    cells = (source_lengths + 1) * target_lengths
    entry_offsets = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    keys = pair_entries(source, source_offsets, target, target_offsets, entry_offsets, max(1, len(target_words)))
    distinct, entry = np.unique(keys, return_inverse=True)
    group = distinct // max(1, len(target_words))
    return _Corpus(
        source.astype(np.int32),
        source_offsets,
        target.astype(np.int32),
        target_offsets,
        entry.astype(np.int32),
        entry_offsets,
        group,
    )
