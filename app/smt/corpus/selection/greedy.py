"""Greedy selection with filters of texts: it skips pairs that resemble recent ones, and untranslated pairs."""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt8s
from app.metrics.lexical.matching import clipped_matches
from app.smt.corpus.selection.choice import Budget, Purse, best_first, choose_best
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scoring import PoolScores
from app.smt.tuning.pairs.sentence_bleu import ORDER, smoothed_bleu

__all__ = ["Decision", "PoolDecisions", "TextFilters", "choose"]

# Candidates with texts in memory; further candidates need another pass over the pool.
BATCH: Final = 100_000


class Decision(IntEnum):
    """Decision about a pair; `word` is its name in files."""

    REST = 0
    SELECTION = 1
    UNFIT = 2
    SIMILAR = 3
    COPY = 4

    @property
    def word(self) -> str:
        """Word of the decision in files."""
        return ("left", "chosen", "unfit", "similar", "untranslated")[self]


@dataclass(frozen=True)
class TextFilters:
    """Limits of sentence BLEU, in [0, 1], with `alpha` added to all counts; 1 passes all pairs (Song 2015, Algorithm 4.1).

    `diversity` limits a source against each of the last `window` selected sources, and `copy` a source against its own target.
    """

    diversity: float = 1.0
    copy: float = 1.0
    window: int = 200
    alpha: float = 1.0

    @property
    def enabled(self) -> bool:
        """Return True if a limit is below 1."""
        return self.diversity < 1 or self.copy < 1


@dataclass(frozen=True)
class PoolDecisions:
    """Decision about each pair, shape (pairs,), and positions of selected pairs, best first."""

    decisions: UInt8s
    order: Int64s


def choose(pool: Pool, scores: PoolScores, budget: Budget, filters: TextFilters, batch: int = BATCH) -> PoolDecisions:
    """Select the best pairs within a budget that pass the filters, one by one.

    Each batch of `batch` candidates, best first, takes one pass over the pool and holds its texts in memory; results do not depend
    on `batch`. O(window) comparisons for each candidate.
    """
    candidates = best_first(scores, budget.minimum)
    decisions = np.full(len(scores), Decision.UNFIT, np.uint8)
    decisions[candidates] = Decision.REST
    if not filters.enabled:
        mask = choose_best(scores, budget)
        decisions[mask] = Decision.SELECTION
        return PoolDecisions(decisions, candidates[mask[candidates]])
    purse, recent = Purse(budget, len(scores)), _Recent(filters)
    order: list[int] = []
    shortest = int(scores.words[candidates].min()) if len(candidates) else 0
    for first in range(0, len(candidates), batch):
        places = candidates[first : first + batch]
        # Candidates above the remainder of the budget need no reading.
        places = places[np.array([purse.affords(words) for words in scores.words[places].tolist()], np.bool_)]
        if not len(places):
            continue
        texts = _texts(pool, places)
        for place in places.tolist():
            if not purse.affords(shortest):
                return PoolDecisions(decisions, np.array(order, np.int64))
            words = int(scores.words[place])
            if not purse.affords(words):
                continue
            decision = recent.judge(*texts[place])
            if decision is Decision.SELECTION:
                purse.take(words)
                order.append(place)
                recent.add(texts[place][0])
            decisions[place] = decision
    return PoolDecisions(decisions, np.array(order, np.int64))


def _texts(pool: Pool, places: Int64s) -> dict[int, tuple[Int64s, Int64s]]:
    """Words of both sides of pairs, as hashes, by position."""
    order = np.sort(places)
    texts: dict[int, tuple[Int64s, Int64s]] = {}
    for chunk in pool.chunks():
        begin, end = np.searchsorted(order, [chunk.first, chunk.first + len(chunk)])
        if begin == end:
            continue
        sides = [(side.hashes.view(np.int64)[side.ids], side.offsets) for side in (chunk.pairs.source, chunk.pairs.target)]
        for place in order[begin:end].tolist():
            row = place - chunk.first
            source, target = (words[offsets[row] : offsets[row + 1]].copy() for words, offsets in sides)
            texts[place] = source, target
    return texts


class _Recent:
    """The last selected sources."""

    def __init__(self, filters: TextFilters) -> None:
        self.filters = filters
        self.sources: deque[Int64s] = deque(maxlen=filters.window)
        self.recent_words: tuple[Int64s, Int64s] | None = None

    def add(self, source: Int64s) -> None:
        self.sources.append(source)
        self.recent_words = None

    def judge(self, source: Int64s, target: Int64s) -> Decision:
        """Decision of both filters: SELECTION for a pair that passes."""
        if self.filters.diversity < 1 and self.sources:
            if self.recent_words is None:
                lengths = [len(words) for words in self.sources]
                self.recent_words = np.concatenate(self.sources), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            if similarities(source, *self.recent_words, self.filters.alpha).max() >= self.filters.diversity:
                return Decision.SIMILAR
        if self.filters.copy < 1:
            offsets = np.array([0, len(target)], np.int64)
            if similarities(source, target, offsets, self.filters.alpha)[0] >= self.filters.copy:
                return Decision.COPY
        return Decision.SELECTION


def similarities(text: Int64s, references: Int64s, offsets: Int64s, alpha: float) -> Float64s:
    """Sentence BLEU of a text against each of several references; shape (references,)."""
    lengths = np.diff(offsets)
    # Matches are symmetric, so the kernel makes its table of the single text.
    matches = clipped_matches(references, offsets, text, np.array([0, len(text)]), np.zeros(len(lengths), np.int64), ORDER)
    rows = np.empty((len(lengths), 2 + 2 * ORDER))
    rows[:, 0], rows[:, 1] = len(text), lengths
    rows[:, 2 : 2 + ORDER] = matches
    rows[:, 2 + ORDER :] = np.maximum(len(text) - np.arange(ORDER), 0)
    return smoothed_bleu(rows, alpha)
