"""Selection of the best pairs within a budget."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Int64s
from app.errors import InputError
from app.smt.corpus.selection.scoring import PoolScores

__all__ = ["Budget", "Purse", "best_first", "choose_best"]


@dataclass(frozen=True)
class Budget:
    """Limits of a selection: number of pairs, number of source words, share of pairs, and minimum score.

    The last pair may exceed the limit of words (Song 2015, Algorithm 4.1). With `strict` no pair may; longer pairs are skipped.
    Without limits all usable pairs are selected.
    """

    pairs: int | None = None
    words: int | None = None
    share: float | None = None
    minimum: float | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if (
            any(number is not None and number < 1 for number in (self.pairs, self.words))
            or not 0 < (self.share or 1.0) <= 1
            or self.share == 0
        ):
            raise InputError("invalid-request", "a budget is at least 1 pair or word, or a share above 0 and up to 1")

    @property
    def bounded(self) -> bool:
        """Return True if a limit is set."""
        return any(limit is not None for limit in (self.pairs, self.words, self.share, self.minimum))

    def pairs_of(self, total: int) -> int:
        """Largest number of pairs that may be selected from `total` pairs."""
        shares = [] if self.share is None else [round(self.share * total)]
        return min([total, *shares, *([] if self.pairs is None else [self.pairs])])


class Purse:
    """Remainder of a budget while a selection takes pairs from a pool of `total` pairs."""

    def __init__(self, budget: Budget, total: int) -> None:
        self.pairs = budget.pairs_of(total)
        self.words = budget.words
        self.strict = budget.strict

    @property
    def empty(self) -> bool:
        """Return True if the budget is used up."""
        return self.pairs <= 0 or (self.words is not None and self.words <= 0)

    def affords(self, words: int) -> bool:
        """Return True if the remainder covers a pair with this number of source words."""
        return not self.empty and not (self.strict and self.words is not None and words > self.words)

    def take(self, words: int) -> bool:
        """Pay for a pair with this number of source words. Return False, without payment, if the remainder does not cover it."""
        if not self.affords(words):
            return False
        self.pairs -= 1
        if self.words is not None:
            self.words -= words
        return True


def best_first(pool: PoolScores, minimum: float | None = None) -> Int64s:
    """Positions of usable pairs, highest score first, ties in the order of the pool."""
    places = np.flatnonzero(pool.scores > -np.inf if minimum is None else (pool.scores >= minimum) & (pool.scores > -np.inf))
    return places[np.argsort(-pool.scores[places], kind="stable")]


def choose_best(pool: PoolScores, budget: Budget) -> Bools:
    """Mask of selected pairs; shape (n,). O(n log n) time, and O(1) words of memory for each pair."""
    order = best_first(pool, budget.minimum)
    mask = np.zeros(len(pool), np.bool_)
    purse = Purse(budget, len(pool))
    if purse.words is None:
        mask[order[: max(0, purse.pairs)]] = True
        return mask
    words = pool.words[order].astype(np.int64)
    if not budget.strict:
        used_words = np.cumsum(words) - words
        mask[order[used_words < purse.words][: max(0, purse.pairs)]] = True
        return mask
    shortest = int(words.min()) if len(words) else 0
    for place, length in zip(order.tolist(), words.tolist(), strict=True):
        if not purse.affords(shortest):
            break
        mask[place] = purse.take(length)
    return mask
