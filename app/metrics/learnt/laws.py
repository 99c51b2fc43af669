"""Laws of trained metrics: no damage to a reference makes it better than the reference itself.

Features overlap so much that weights which fit judgements best may have signs that make no sense: what was never among the judged
translations, as the reference's own words in another order, then scores above the reference. Training is held to damaged references
therefore. A feature that is highest where nothing is moved or missing cannot have a negative weight, so that this is true of every
reference there may be; and the weights together must prefer references to the same with something repeated, of some thousands that
are tried. (Counts of a kind of word over the reference's are highest for neither, and no linear metric that has them prefers all.)
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s

__all__ = ["DAMAGES", "REPEATING", "DamagedReferences", "Laws", "damaged", "damaged_references", "laws_of"]

DRAWN: Final = 3000
# Characters a word has on average, of texts that are written with spaces.
LONGEST_WORDS: Final = 12
# Sums of features in another order differ by about this.
ROUNDING: Final = 1e-9

Words = list[str]


def _shuffled(words: Words, rng: random.Random) -> Words:
    return rng.sample(words, len(words))


def _swapped(words: Words, rng: random.Random) -> Words:
    at = rng.randrange(max(len(words) - 1, 1))
    return [*words[:at], *words[at + 1 : at + 2], words[at], *words[at + 2 :]]


def _without_one(words: Words, rng: random.Random) -> Words:
    at = rng.randrange(len(words))
    return words[:at] + words[at + 1 :]


def _with_one_twice(words: Words, rng: random.Random) -> Words:
    at = rng.randrange(len(words))
    return words[: at + 1] + words[at:]


# What is done to the words of a reference, one of them at least; something is moved or missing, or repeated.
DAMAGES: Final[Mapping[str, Callable[[Words, random.Random], Words]]] = {
    "shuffled": _shuffled,
    "two words swapped": _swapped,
    "a word deleted": _without_one,
    "the first word deleted": lambda words, _: words[1:],
    "the last word deleted": lambda words, _: words[:-1],
    "the second half deleted": lambda words, _: words[: len(words) // 2],
    "everything deleted": lambda words, _: [],
    "a word repeated": _with_one_twice,
    "everything repeated": lambda words, _: words * 2,
}
REPEATING: Final = frozenset({"a word repeated", "everything repeated"})


def damaged(text: str, rng: random.Random, between: str = " ") -> dict[str, str]:
    """A text with each damage to its words (characters, with nothing `between`), by name, but those that leave it as it was."""
    words = _words(text, between)
    if not words:
        return {}
    made = {name: between.join(damage(words, rng)) for name, damage in DAMAGES.items()}
    whole = between.join(words)
    return {name: changed for name, changed in made.items() if changed != whole}


@dataclass(frozen=True)
class DamagedReferences:
    """References, and parts of them, beside the same damaged; `repeats` (m,) says where something was repeated."""

    whole: list[str]
    damaged: list[str]
    repeats: Bools


def damaged_references(references: Sequence[str], seed: int, factored: bool = False) -> DamagedReferences:
    """A few thousand references, drawn by the seed, with every damage.

    Where there are fewer references each is drawn several times, and damaged at other words.
    """
    rng = random.Random(seed)  # noqa: S311  (which are drawn is no secret)
    spaced = factored or LONGEST_WORDS * sum(text.count(" ") for text in references) >= sum(map(len, references))
    between = " " if spaced else ""
    distinct = sorted(set(references))
    enough = len(distinct) >= DRAWN
    drawn = rng.sample(distinct, DRAWN) if enough else rng.choices(distinct, k=DRAWN if distinct else 0)
    whole, changed, repeats = [], [], []
    for number, text in enumerate(drawn):
        if number % 2 and text.strip():
            # Short ones too: of one comma, a word deleted may be all there is of punctuation.
            words = _words(text, between)
            begin = rng.randrange(len(words))
            text = between.join(words[begin : rng.randint(begin, len(words)) + 1])
        for name, other in damaged(text, rng, between).items():
            whole.append(text)
            changed.append(other)
            repeats.append(name in REPEATING)
    return DamagedReferences(whole, changed, np.array(repeats, np.bool_))


def _words(text: str, between: str) -> Words:
    return text.split() if between else list(text)


@dataclass(frozen=True)
class Laws:
    """Features of references less those of the same damaged, scaled as in training: (m, k). Weights w hold where w · each ≥ 0.

    `repeats` (m,) says where something was repeated.
    """

    differences: Float64s
    repeats: Bools

    @property
    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Of each weight: at least 0 where its feature is highest with nothing moved or missing, at most 0 where it is lowest."""
        lessened = self.differences[~self.repeats]
        lowest, highest = lessened.min(0, initial=0.0), lessened.max(0, initial=0.0)
        rises, falls = highest > ROUNDING, lowest < -ROUNDING
        return [(0.0 if up and not down else None, 0.0 if down and not up else None) for up, down in zip(rises, falls, strict=True)]

    def broken(self, weights: Float64s) -> int:
        """How many damaged references score above themselves undamaged."""
        return int((self.differences @ weights < -ROUNDING).sum())

    def penalty(self, weights: Float64s, margin: float) -> tuple[float, Float64s]:
        """Mean squared shortfall of the references' margins over what is damaged, and its gradient."""
        count = max(len(self.differences), 1)
        short = np.maximum(margin - self.differences @ weights, 0.0)
        return float(short @ short) / count, np.asarray(-2.0 * (short @ self.differences) / count)


def laws_of(differences: Float64s, repeats: Bools) -> Laws:
    """Laws of what damage changes; where it changes no feature there is nothing to hold."""
    changed = np.abs(differences).max(1, initial=0.0) > ROUNDING
    return Laws(differences[changed], repeats[changed])
