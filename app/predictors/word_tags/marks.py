"""Marks of words that are more likely wrong than right, chosen and measured on tagged segments that no part was trained on.

Tags with the highest correlation mark many right words where few are wrong. A mark is a claim about each word, so its threshold
follows from the share of wrong words among words of that probability.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s, Int8s
from app.text.reading.stored_json import as_kind

__all__ = ["NO_MARKS", "Mark", "Marks", "choose_marks", "read_marks", "stored_marks"]

# Least share of wrong words near the threshold of a mark.
WRONG: Final = 1 / 2
POSSIBLE: Final = 1 / 3
# A mark multiplies the odds of a wrong word by this much at least, for pairs with many wrong words.
LEAST_LIFT: Final = 2.0
# Share of the words of people's translations that may be marked as wrong.
REFERENCES: Final = 0.05
# Marks of fewer words are not measured well enough.
MINIMUM: Final = 20
# Normal quantile of the lower bound of a precision: 99 % on one side, because a threshold is chosen among many.
QUANTILE: Final = 2.326


@dataclass(frozen=True)
class Mark:
    """A threshold of the probability of BAD, with the measured precision, recall and share of words of the marks."""

    threshold: float
    precision: float
    recall: float
    share: float


@dataclass(frozen=True)
class Marks:
    """Marks of wrong and of possibly wrong words; None for a kind that cannot be had."""

    wrong: Mark | None = None
    possible: Mark | None = None

    def wrong_words(self, probabilities: Float64s) -> Bools:
        """Mask of the probabilities that are marked as wrong."""
        return _mask(probabilities, self.wrong)

    def possible_words(self, probabilities: Float64s) -> Bools:
        """Mask of the probabilities that are marked as possibly wrong, and not as wrong."""
        return np.asarray(_mask(probabilities, self.possible) & ~self.wrong_words(probabilities))


NO_MARKS: Final = Marks()
NO_REFERENCES: Final = np.zeros(0)


def _mask(probabilities: Float64s, mark: Mark | None) -> Bools:
    return np.zeros(len(probabilities), np.bool_) if mark is None else np.asarray(probabilities >= mark.threshold)


def choose_marks(gold: Int8s, probabilities: Float64s, references: Float64s = NO_REFERENCES) -> Marks:
    """Marks of words with gold tags (1: BAD) and probabilities of BAD, both (n,).

    A wrong word is at least as likely BAD as OK, a possible one at least half as likely; both have twice the odds of all words.
    `references` (m,) are probabilities of BAD of words of people's translations, at most one of twenty of which is marked as wrong.
    """
    bad = float(gold.mean()) if len(gold) else 0.0
    lift = LEAST_LIFT * bad / (1 - bad + LEAST_LIFT * bad)
    above = np.sort(references)[-1 - int(REFERENCES * len(references))] if len(references) else -np.inf
    wrong = _mark(gold, probabilities, max(WRONG, lift), WRONG, np.inf, above)
    highest = np.inf if wrong is None else wrong.threshold
    return Marks(wrong, _mark(gold, probabilities, max(POSSIBLE, lift), 0.0, highest))


def _mark(gold: Int8s, probabilities: Float64s, level: float, bound: float, below: float, above: float = -np.inf) -> Mark | None:
    """The mark of words with a share of BAD of `level` or more; None for few words, or a lower bound of precision under `bound`.

    The share follows isotonic regression on the probability: its values are at least `level` from the threshold on that maximises
    the sum of ``gold - level`` above it. Words from `below` on belong to another mark; words up to `above` are not marked.
    """
    order = np.argsort(-probabilities, kind="stable")
    values, tags = probabilities[order], gold[order].astype(np.float64)
    gains = np.cumsum(tags - level)
    last = np.append(values[1:] != values[:-1], True) & (values > above) if len(values) else np.zeros(0, np.bool_)
    if not last.any() or gains[best := int(np.argmax(np.where(last, gains, -np.inf)))] <= 0:
        return None
    mask = (probabilities >= values[best]) & (probabilities < below)
    count, right = int(mask.sum()), float(gold[mask].sum())
    if count < MINIMUM or lower_bound(right / count, count) < bound:
        return None
    return Mark(float(values[best]), right / count, right / max(1.0, float(gold.sum())), count / len(gold))


def lower_bound(share: float, count: int) -> float:
    """Wilson's lower bound of a share of `count` draws, at 99 % on one side."""
    square = QUANTILE**2 / count
    middle, width = share + square / 2, QUANTILE * np.sqrt((share * (1 - share) + square / 4) / count)
    return float((middle - width) / (1 + square))


def stored_marks(marks: Marks) -> dict[str, Any]:
    """Marks as members of a card."""
    return asdict(marks)


def read_marks(stored: Mapping[str, Any] | None, name: str) -> Marks:
    """Marks of a card; no marks without members. ValueError for other members, named by `name`."""
    if stored is None:
        return NO_MARKS
    if stored.keys() != {"wrong", "possible"}:
        raise ValueError(f"{name}: marks are wrong and possible")
    return Marks(*(None if (mark := stored[kind]) is None else as_kind(Mark, mark, name) for kind in ("wrong", "possible")))
