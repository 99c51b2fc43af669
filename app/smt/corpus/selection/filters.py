"""Greedy choice with a look at texts: what is like a pair that was chosen lately, or was not translated, is passed over."""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt8s
from app.metrics.lexical.clipped_kernel import clipped_matches
from app.smt.corpus.selection.choice import Budget, Purse, best_first, choose_best
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scoring import PoolScores
from app.smt.tuning.pairs.sentence_bleu import ORDER, smoothed_bleu

__all__ = ["Choice", "Decision", "TextFilters", "choose"]

# Candidates whose texts are held at once; of more, the pool is read again.
BATCH: Final = 100_000


class Decision(IntEnum):
    """What became of a pair."""

    LEFT = 0
    CHOSEN = 1
    UNFIT = 2
    SIMILAR = 3
    UNTRANSLATED = 4


@dataclass(frozen=True)
class TextFilters:
    """Limits of sentence BLEU, in [0, 1], with `alpha` added to all counts; 1 lets all pass.

    `diversity`: of a source against each of the last `window` sources that were chosen. `untranslated`: of a source against its own
    target (Song 2015, Algorithm 4.1).
    """

    diversity: float = 1.0
    untranslated: float = 1.0
    window: int = 200
    alpha: float = 1.0

    @property
    def any(self) -> bool:
        """Whether texts have to be looked at."""
        return self.diversity < 1 or self.untranslated < 1


@dataclass(frozen=True)
class Choice:
    """What became of each pair, and the places of the chosen ones, the best first."""

    decisions: UInt8s
    order: Int64s


def choose(pool: Pool, scores: PoolScores, budget: Budget, filters: TextFilters, batch: int = BATCH) -> Choice:
    """The best pairs within a budget that filters let pass, one after the other.

    Texts of `batch` candidates are in memory, the best first, and the pool is read once for each batch that is needed; the result
    does not depend on it. O(window) comparisons a candidate.
    """
    candidates = best_first(scores, budget.at_least)
    decisions = np.full(len(scores), Decision.UNFIT, np.uint8)
    decisions[candidates] = Decision.LEFT
    if not filters.any:
        chosen = choose_best(scores, budget)
        decisions[chosen] = Decision.CHOSEN
        return Choice(decisions, candidates[chosen[candidates]])
    purse, recent = Purse(budget, len(scores)), _Recent(filters)
    order: list[int] = []
    fewest = int(scores.words[candidates].min()) if len(candidates) else 0
    for first in range(0, len(candidates), batch):
        places = candidates[first : first + batch]
        # What is too long for what is left is not even read.
        places = places[np.array([purse.affords(words) for words in scores.words[places].tolist()], np.bool_)]
        if not len(places):
            continue
        texts = _texts(pool, places)
        for place in places.tolist():
            if not purse.affords(fewest):
                return Choice(decisions, np.array(order, np.int64))
            words = int(scores.words[place])
            if not purse.affords(words):
                continue
            decision = recent.judge(*texts[place])
            if decision is Decision.CHOSEN:
                purse.take(words)
                order.append(place)
                recent.add(texts[place][0])
            decisions[place] = decision
    return Choice(decisions, np.array(order, np.int64))


def _texts(pool: Pool, places: Int64s) -> dict[int, tuple[Int64s, Int64s]]:
    """Words of both sides, as numbers that are the same in all texts, by place."""
    wanted = np.sort(places)
    texts: dict[int, tuple[Int64s, Int64s]] = {}
    for chunk in pool.chunks():
        begin, end = np.searchsorted(wanted, [chunk.first, chunk.first + len(chunk)])
        if begin == end:
            continue
        sides = [(side.hashes.view(np.int64)[side.ids], side.offsets) for side in (chunk.pairs.source, chunk.pairs.target)]
        for place in wanted[begin:end].tolist():
            row = place - chunk.first
            source, target = (words[offsets[row] : offsets[row + 1]].copy() for words, offsets in sides)
            texts[place] = source, target
    return texts


class _Recent:
    """The sources that were chosen last."""

    def __init__(self, filters: TextFilters) -> None:
        self.filters = filters
        self.sources: deque[Int64s] = deque(maxlen=filters.window)
        self.packed: tuple[Int64s, Int64s] | None = None

    def add(self, source: Int64s) -> None:
        self.sources.append(source)
        self.packed = None

    def judge(self, source: Int64s, target: Int64s) -> Decision:
        """CHOSEN where both filters let a pair pass."""
        if self.filters.diversity < 1 and self.sources:
            if self.packed is None:
                lengths = [len(words) for words in self.sources]
                self.packed = np.concatenate(self.sources), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            if similarities(source, *self.packed, self.filters.alpha).max() >= self.filters.diversity:
                return Decision.SIMILAR
        if self.filters.untranslated < 1:
            offsets = np.array([0, len(target)], np.int64)
            if similarities(source, target, offsets, self.filters.alpha)[0] >= self.filters.untranslated:
                return Decision.UNTRANSLATED
        return Decision.CHOSEN


def similarities(text: Int64s, others: Int64s, offsets: Int64s, alpha: float) -> Float64s:
    """Sentence BLEU of a text against each of some references; shape (references,)."""
    lengths = np.diff(offsets)
    # Matches are the same either way round, so that the text is what the table is made of.
    matches = clipped_matches(others, offsets, text, np.array([0, len(text)]), np.zeros(len(lengths), np.int64), ORDER)
    rows = np.empty((len(lengths), 2 + 2 * ORDER))
    rows[:, 0], rows[:, 1] = len(text), lengths
    rows[:, 2 : 2 + ORDER] = matches
    rows[:, 2 + ORDER :] = np.maximum(len(text) - np.arange(ORDER), 0)
    return smoothed_bleu(rows, alpha)
