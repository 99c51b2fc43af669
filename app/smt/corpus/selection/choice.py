"""The best pairs within a budget."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Int64s
from app.errors import InputError
from app.smt.corpus.selection.scoring import PoolScores

__all__ = ["Budget", "Purse", "best_first", "choose_best"]


@dataclass(frozen=True)
class Budget:
    """How much is chosen: at most so many pairs, so many words of the source, a share of the pairs, those that score so much.

    Words: pairs are taken until there are so many (Song 2015, Algorithm 4.1), which the last pair may exceed; where it is `strict`
    none may, and those that would are passed over. Without any of these, all pairs that can be chosen are.
    """

    pairs: int | None = None
    words: int | None = None
    share: float | None = None
    at_least: float | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if (
            any(number is not None and number < 1 for number in (self.pairs, self.words))
            or not 0 < (self.share or 1.0) <= 1
            or self.share == 0
        ):
            raise InputError("invalid-request", "a budget is 1 pair or word at least, or a share above 0 and up to 1")

    @property
    def bounded(self) -> bool:
        """Whether anything is said."""
        return any(limit is not None for limit in (self.pairs, self.words, self.share, self.at_least))


class Purse:
    """What is left of a budget while pairs are taken one by one from a pool of `total` pairs."""

    def __init__(self, budget: Budget, total: int) -> None:
        limits = [
            limit for limit in (budget.pairs, None if budget.share is None else round(budget.share * total)) if limit is not None
        ]
        self.pairs = min(limits, default=total)
        self.words = budget.words
        self.strict = budget.strict

    @property
    def empty(self) -> bool:
        """Whether nothing more can be taken."""
        return self.pairs <= 0 or (self.words is not None and self.words <= 0)

    def affords(self, words: int) -> bool:
        """Whether a pair of so many words of the source may be taken."""
        return not self.empty and not (self.strict and self.words is not None and words > self.words)

    def take(self, words: int) -> bool:
        """Pay for a pair of so many words of the source; False, and nothing is paid, where it may not be taken."""
        if not self.affords(words):
            return False
        self.pairs -= 1
        if self.words is not None:
            self.words -= words
        return True


def best_first(pool: PoolScores, at_least: float | None = None) -> Int64s:
    """Places of pairs that can be chosen, the highest score first, then the first in the pool."""
    places = np.flatnonzero(pool.scores > -np.inf if at_least is None else (pool.scores >= at_least) & (pool.scores > -np.inf))
    return places[np.argsort(-pool.scores[places], kind="stable")]


def choose_best(pool: PoolScores, budget: Budget) -> Bools:
    """Which pairs are chosen; shape (n,). O(n log n), and O(1) words of memory a pair."""
    order = best_first(pool, budget.at_least)
    chosen = np.zeros(len(pool), np.bool_)
    purse = Purse(budget, len(pool))
    if purse.words is None:
        chosen[order[: max(0, purse.pairs)]] = True
        return chosen
    words = pool.words[order].astype(np.int64)
    if not budget.strict:
        before = np.cumsum(words) - words
        chosen[order[before < purse.words][: max(0, purse.pairs)]] = True
        return chosen
    fewest = int(words.min()) if len(words) else 0
    for place, length in zip(order.tolist(), words.tolist(), strict=True):
        if not purse.affords(fewest):
            break
        chosen[place] = purse.take(length)
    return chosen
