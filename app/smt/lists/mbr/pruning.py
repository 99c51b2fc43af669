"""Confidence-based pruning: candidates with little chance drop out as references are added (Cheng and Vlachos 2023)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.running.deadline import check_deadline
from app.running.journal import Journal
from app.smt.lists.mbr.pairs import TextPairs

__all__ = ["CandidatePruning", "pruned_scores"]

# Numbers of references before each round of pruning.
ROUNDS: Final = (8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True)
class CandidatePruning:
    """A candidate stays if it is the best in more than ``1 - confidence`` of the bootstrap samples of the references."""

    confidence: float = 0.99
    samples: int = 500
    seed: int = 0


def pruned_scores(pairs: TextPairs, weights: Float64s, pruning: CandidatePruning, journal: Journal) -> tuple[Float64s, int]:
    """Return expected scores of the remaining distinct candidates, NaN for pruned ones, and the number of scored pairs.

    References are used in descending order of weight; equal ones keep their order. Remaining candidates have exact scores.
    """
    out = np.full(len(pairs.candidates.texts), np.nan)
    rng = np.random.default_rng(pruning.seed)
    pair_count = 0
    for i in range(len(pairs.counts)):
        check_deadline()
        journal.report("pruning", i / len(pairs.counts))
        begin, end = pairs.references.offsets[i], pairs.references.offsets[i + 1]
        order = begin + np.argsort(-weights[begin:end], kind="stable")
        candidates = np.arange(pairs.candidates.offsets[i], pairs.candidates.offsets[i + 1])
        if len(candidates) and len(order):
            rows, scores, number = _one_list(pairs, candidates, order, weights[order], pruning, rng)
            out[rows] = scores
            pair_count += number
    return out, pair_count


def _one_list(
    pairs: TextPairs, candidates: Int64s, references: Int64s, weights: Float64s, pruning: CandidatePruning, rng: np.random.Generator
) -> tuple[Int64s, Float64s, int]:
    """Return the remaining candidates of a list, their expected scores, and the number of pairs."""
    sign = 1.0 if pairs.metric.higher_is_better else -1.0
    table, size_before, pair_count = np.empty((len(candidates), 0)), 0, 0
    for size in (*[size for size in ROUNDS if size < len(references)], len(references)):
        new = references[size_before:size]
        scores = pairs.scores(np.repeat(candidates, len(new)), np.tile(new, len(candidates))).reshape(len(candidates), -1)
        table, size_before, pair_count = np.concatenate([table, scores], axis=1), size, pair_count + scores.size
        if size < len(references) and len(candidates) > 1:
            mask = _contenders(sign * table, weights[:size], pruning, rng)
            candidates, table = candidates[mask], table[mask]
    return candidates, table @ weights, pair_count


def _contenders(table: Float64s, weights: Float64s, pruning: CandidatePruning, rng: np.random.Generator) -> Int64s:
    """Indices of candidates that reach the best one's score in enough bootstrap samples of the references.

    The best candidate itself is always included.
    """
    counts = rng.multinomial(len(weights), np.full(len(weights), 1.0 / len(weights)), pruning.samples)
    sample_scores = table @ (counts * weights).T
    best = int(np.argmax(table @ weights))
    wins = (sample_scores >= sample_scores[best]).mean(1)
    return np.flatnonzero((wins > 1.0 - pruning.confidence) | (np.arange(len(table)) == best))
