"""Operators on derivations and their neighbourhoods (Arun et al. 2009; Haddow, Arun and Koehn 2011, §2.2.2).

A neighbourhood is a few shapes. A shape has a segmentation and a target order; some of its phrases may be any option of their
span. Options and jumps are the decoder's own, so operators reach the derivations of the search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from app.smt.decoder.derivation import Phrase

__all__ = ["OPERATORS", "DerivationShape", "gloss", "is_reachable", "merge_split", "neighbours", "reorder", "retranslate"]

Spans = Mapping[tuple[int, int], Sequence[Phrase]]
OPERATORS: Final = ("merge-split", "reorder", "retrans")
# Points of application that are drawn before a derivation stays as it is.
ATTEMPTS: Final = 20


@dataclass(frozen=True)
class DerivationShape:
    """Phrases in target order; each key of `choices` is the index of a phrase with several options."""

    phrases: tuple[Phrase, ...]
    choices: Mapping[int, Sequence[Phrase]]

    def __len__(self) -> int:
        return int(np.prod([len(options) for options in self.choices.values()], dtype=np.int64))


def gloss(spans: Spans, length: int) -> tuple[Phrase, ...]:
    """Most promising option of each word, in source order."""
    return tuple(spans[t, t + 1][0] for t in range(length))


def is_reachable(phrases: Sequence[Phrase], limit: int) -> bool:
    """Return True if jumps are within the limit and the first gap within reach, as in the decoder; -1 is no limit."""
    if limit < 0:
        return True
    coverage: set[int] = set()
    gap = 0
    for previous, phrase in pairwise([Phrase(0, 0, (), -1), *phrases]):
        if abs(phrase.start - previous.end) > limit or (phrase.start != gap and phrase.end - gap > limit):
            return False
        coverage.update(range(phrase.start, phrase.end))
        while gap in coverage:
            gap += 1
    return True


def merge_split(spans: Spans, phrases: Sequence[Phrase], place: int) -> list[DerivationShape]:
    """Shapes at a boundary between source words: one phrase or two, each any option of its span.

    A phrase around the boundary stays whole, or is split in source order. Two phrases at the boundary stay apart, or merge if the
    right one follows the left one in the target. The first shape has the segmentation of `phrases`.
    """
    left = next(k for k, phrase in enumerate(phrases) if phrase.start <= place - 1 < phrase.end)
    right = next(k for k, phrase in enumerate(phrases) if phrase.start <= place < phrase.end)
    left_phrase, right_phrase = phrases[left], phrases[right]
    if left == right:
        shapes = [retranslate(spans, phrases, left)]
        halves = [spans.get((left_phrase.start, place), ()), spans.get((place, left_phrase.end), ())]
        if all(halves):
            split = (*phrases[:left], halves[0][0], halves[1][0], *phrases[left + 1 :])
            shapes.append(DerivationShape(split, {left: halves[0], left + 1: halves[1]}))
        return shapes
    shapes = [DerivationShape(tuple(phrases), {k: spans[phrases[k].start, phrases[k].end] for k in sorted((left, right))})]
    merger = spans.get((left_phrase.start, right_phrase.end), ())
    if right == left + 1 and merger:
        shapes.append(DerivationShape((*phrases[:left], merger[0], *phrases[right + 1 :]), {left: merger}))
    return shapes


def reorder(phrases: Sequence[Phrase], first: int, second: int) -> list[DerivationShape]:
    """Shapes of the derivation, and of the one with two phrases exchanged in the target."""
    permutation = list(phrases)
    permutation[first], permutation[second] = permutation[second], permutation[first]
    ends = {first, second}
    return [DerivationShape(tuple(order), {k: (order[k],) for k in ends}) for order in (phrases, permutation)]


def retranslate(spans: Spans, phrases: Sequence[Phrase], place: int) -> DerivationShape:
    """Shape with any option for one phrase."""
    return DerivationShape(tuple(phrases), {place: spans[phrases[place].start, phrases[place].end]})


def neighbours(
    spans: Spans, phrases: Sequence[Phrase], limit: int, operators: Sequence[str], rng: np.random.Generator
) -> list[DerivationShape]:
    """Shapes of a random operator at a random point, the current one first, or alone if no operator applies."""
    length = max((phrase.end for phrase in phrases), default=0)
    for _ in range(ATTEMPTS if phrases else 0):
        operator = operators[int(rng.integers(len(operators)))]
        if operator == "retrans":
            return [retranslate(spans, phrases, int(rng.integers(len(phrases))))]
        if operator == "merge-split" and length > 1:
            current, *changes = merge_split(spans, phrases, int(rng.integers(1, length)))
            return [current, *(shape for shape in changes if is_reachable(shape.phrases, limit))]
        if operator == "reorder" and len(phrases) > 1:
            first, second = sorted(rng.choice(len(phrases), 2, replace=False).tolist())
            shapes = reorder(phrases, first, second)
            if is_reachable(shapes[1].phrases, limit):
                return shapes
    return [DerivationShape(tuple(phrases), {})]
