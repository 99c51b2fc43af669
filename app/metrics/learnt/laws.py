"""Laws of trained metrics: no damage to a reference makes it better than the reference itself.

Features overlap so much that the best weights for the judgements may have senseless signs. A text unlike the judged translations,
such as the shuffled words of a reference, can then score above the reference. Training therefore uses damaged references:

- A feature that is highest for the undamaged reference cannot have a negative weight. This holds for every reference. Features that
  only rise if words are deleted, such as matched arcs over fewer arcs, obey it for words in another order.
- The weights together must prefer thousands of references to copies with repeated words.

Ratios of counts, such as ``ratio.words``, are highest for neither text, so no linear metric with them obeys all laws.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s

__all__ = ["DAMAGES", "REPEATING", "DamagedReferences", "Laws", "damaged", "damaged_references", "laws_of"]

SAMPLE_SIZE: Final = 3000
WORD_PAIRS: Final = 1000
# Upper bound of the mean length of words in texts with spaces.
LONGEST_WORDS: Final = 12
# Sums of features in another order differ by about this much.
ROUNDING: Final = 1e-9

Words = list[str]


def _swapped(words: Words, rng: random.Random) -> Words:
    place = rng.randrange(max(len(words) - 1, 1))
    return [*words[:place], *words[place + 1 : place + 2], words[place], *words[place + 2 :]]


def _with_deletion(words: Words, rng: random.Random) -> Words:
    place = rng.randrange(len(words))
    return words[:place] + words[place + 1 :]


def _with_repetition(words: Words, rng: random.Random) -> Words:
    place = rng.randrange(len(words))
    return words[: place + 1] + words[place:]


# Damages of the words of a reference, of which it has at least one: words are moved, deleted or repeated.
DAMAGES: Final[Mapping[str, Callable[[Words, random.Random], Words]]] = {
    "shuffled": lambda words, rng: rng.sample(words, len(words)),
    "two words swapped": _swapped,
    "a word deleted": _with_deletion,
    "the first word deleted": lambda words, _: words[1:],
    "the last word deleted": lambda words, _: words[:-1],
    "the second half deleted": lambda words, _: words[: len(words) // 2],
    "everything deleted": lambda words, _: [],
    "a word repeated": _with_repetition,
    "everything repeated": lambda words, _: words * 2,
}
REPEATING: Final = frozenset({"a word repeated", "everything repeated"})
MOVING: Final = frozenset({"shuffled", "two words swapped"})


def damaged(text: str, rng: random.Random, between: str = " ") -> dict[str, str]:
    """Damaged versions of a text by the name of the damage, without versions equal to the text.

    With an empty separator `between`, characters are damaged in place of words.
    """
    words = _words(text, between)
    if not words:
        return {}
    original = between.join(words)
    versions = {name: between.join(damage(words, rng)) for name, damage in DAMAGES.items()}
    return {name: version for name, version in versions.items() if version != original}


@dataclass(frozen=True)
class DamagedReferences:
    """References or parts of them, with a damaged version of each; `repeats` and `moves` (m,) mark kinds of damage."""

    references: list[str]
    damaged_texts: list[str]
    repeats: Bools
    moves: Bools


def damaged_references(
    references: Sequence[str], seed: int, factored: bool = False, function_words: Sequence[str] = ()
) -> DamagedReferences:
    """A random sample of references with every damage. If there are too few, each is sampled and damaged several times.

    Random pairs of the `function_words` join them, with either word alone: references seldom have so short parts.
    """
    rng = random.Random(seed)  # noqa: S311  (the sample is no secret)
    has_spaces = factored or LONGEST_WORDS * sum(text.count(" ") for text in references) >= sum(map(len, references))
    between = " " if has_spaces else ""
    distinct = sorted(set(references))
    if len(distinct) >= SAMPLE_SIZE:
        sample = rng.sample(distinct, SAMPLE_SIZE)
    else:
        sample = rng.choices(distinct, k=SAMPLE_SIZE if distinct else 0)
    texts, versions, names = [], [], []
    for number, text in enumerate(sample):
        if number % 2 and text.strip():
            # Short parts matter too: a part with one comma loses all punctuation when the comma is deleted.
            words = _words(text, between)
            begin = rng.randrange(len(words))
            text = between.join(words[begin : rng.randint(begin, len(words)) + 1])
        for name, version in damaged(text, rng, between).items():
            texts.append(text)
            versions.append(version)
            names.append(name)
    for _ in range(WORD_PAIRS if len(function_words) > 1 else 0):
        first, second = rng.sample(function_words, 2)
        texts += [f"{first}{between}{second}"] * 2
        versions += [first, second]
        names += ["the last word deleted", "the first word deleted"]
    repeats, moves = (np.array([name in kind for name in names], np.bool_) for kind in (REPEATING, MOVING))
    return DamagedReferences(texts, versions, repeats, moves)


def _words(text: str, between: str) -> Words:
    return text.split() if between else list(text)


@dataclass(frozen=True)
class Laws:
    """Scaled features of references less those of damaged versions (m, k). Weights w obey a law d if w · d ≥ 0.

    `repeats` and `moves` (m,) mark damage by repetition, and damage that moves words.
    """

    differences: Float64s
    repeats: Bools
    moves: Bools

    @property
    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Bounds of each weight: ≥ 0 if no damage raises the feature, ≤ 0 if none lowers it.

        Repetition does not count. If other damage raises and lowers a feature, the weight is ≥ 0 if moved words only lower it.
        """
        signs, is_lowered = self._signs(~self.repeats), self._signs(self.moves) == 1
        signs[(signs == 2) & is_lowered] = 1
        return [(0.0 if sign == 1 else None, 0.0 if sign == -1 else None) for sign in signs]

    def _signs(self, rows: Bools) -> Int64s:
        """1 for features that damage only lowers, -1 for those that it only raises, 0 without any change, 2 with both; (k,)."""
        differences = self.differences[rows]
        falls, rises = differences.max(0, initial=0.0) > ROUNDING, differences.min(0, initial=0.0) < -ROUNDING
        return np.where(falls & rises, 2, falls.astype(np.int64) - rises)

    def broken(self, weights: Float64s) -> int:
        """Number of damaged references that score above the undamaged ones."""
        return int((self.differences @ weights < -ROUNDING).sum())

    def penalty(self, weights: Float64s, margin: float) -> tuple[float, Float64s]:
        """Mean squared shortfall of the references' margins over damaged versions, and its gradient (k,)."""
        count = max(len(self.differences), 1)
        shortfall = np.maximum(margin - self.differences @ weights, 0.0)
        return float(shortfall @ shortfall) / count, np.asarray(-2.0 * (shortfall @ self.differences) / count)


def laws_of(differences: Float64s, damage: DamagedReferences, further: Float64s) -> Laws:
    """Laws from differences (m, k) of features by a `damage`, without rows in which it changes no feature, and `further` rows."""
    has_change = np.abs(differences).max(1, initial=0.0) > ROUNDING
    # Further rows say nothing about the signs of weights.
    marks = ((damage.repeats, True), (damage.moves, False))
    repeats, moves = (np.append(kind[has_change], np.full(len(further), mark)) for kind, mark in marks)
    return Laws(np.concatenate([differences[has_change], further]), repeats, moves)
