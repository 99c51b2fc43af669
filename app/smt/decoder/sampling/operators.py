"""Operators on derivations: what lies around one (Arun et al. 2009; Haddow, Arun and Koehn 2011, §2.2.2).

A neighbourhood is a few `Shape`s, each a segmentation in an order of the target, of whose phrases some may be any option of their
span. Options and jumps are the decoder's own, so that operators reach what the search may.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from app.smt.decoder.derivation import Phrase

__all__ = ["OPERATORS", "Shape", "gloss", "is_reachable", "merge_split", "neighbours", "reorder", "retranslate"]

Spans = Mapping[tuple[int, int], Sequence[Phrase]]
OPERATORS: Final = ("merge-split", "reorder", "retrans")
# Points of application that are drawn before a derivation is left where it is.
ATTEMPTS: Final = 20


@dataclass(frozen=True)
class Shape:
    """Phrases in the order of the target; in the place of those of `choices` any of these may stand."""

    phrases: tuple[Phrase, ...]
    choices: Mapping[int, Sequence[Phrase]]

    def __len__(self) -> int:
        return int(np.prod([len(options) for options in self.choices.values()], dtype=np.int64))


def gloss(spans: Spans, length: int) -> tuple[Phrase, ...]:
    """The most promising option of each word, in the order of the source."""
    return tuple(spans[t, t + 1][0] for t in range(length))


def is_reachable(phrases: Sequence[Phrase], limit: int) -> bool:
    """Whether no jump is longer than the limit, and the first gap stays within reach: the decoder's rule; -1 is no limit."""
    if limit < 0:
        return True
    covered: set[int] = set()
    gap = 0
    for before, phrase in pairwise([Phrase(0, 0, (), -1), *phrases]):
        if abs(phrase.start - before.end) > limit or (phrase.start != gap and phrase.end - gap > limit):
            return False
        covered.update(range(phrase.start, phrase.end))
        while gap in covered:
            gap += 1
    return True


def merge_split(spans: Spans, phrases: Sequence[Phrase], place: int) -> list[Shape]:
    """What can be made at a place between two words of the source: one phrase or two, each any option of its span.

    Inside a phrase it stays one or is split, in the order of the source. At a boundary both stay, or become one phrase where the
    right one follows the left one in the target. The first shape is the one that there is.
    """
    left = next(k for k, phrase in enumerate(phrases) if phrase.start <= place - 1 < phrase.end)
    right = next(k for k, phrase in enumerate(phrases) if phrase.start <= place < phrase.end)
    before, after = phrases[left], phrases[right]
    if left == right:
        shapes = [retranslate(spans, phrases, left)]
        halves = [spans.get((before.start, place), ()), spans.get((place, before.end), ())]
        if all(halves):
            chosen = (*phrases[:left], halves[0][0], halves[1][0], *phrases[left + 1 :])
            shapes.append(Shape(chosen, {left: halves[0], left + 1: halves[1]}))
        return shapes
    shapes = [Shape(tuple(phrases), {k: spans[phrases[k].start, phrases[k].end] for k in sorted((left, right))})]
    merged = spans.get((before.start, after.end), ())
    if right == left + 1 and merged:
        shapes.append(Shape((*phrases[:left], merged[0], *phrases[right + 1 :]), {left: merged}))
    return shapes


def reorder(phrases: Sequence[Phrase], first: int, second: int) -> list[Shape]:
    """The derivation, and that with two phrases exchanged in the target."""
    exchanged = list(phrases)
    exchanged[first], exchanged[second] = exchanged[second], exchanged[first]
    ends = {first, second}
    return [Shape(tuple(order), {k: (order[k],) for k in ends}) for order in (phrases, exchanged)]


def retranslate(spans: Spans, phrases: Sequence[Phrase], place: int) -> Shape:
    """A phrase by any option of its span."""
    return Shape(tuple(phrases), {place: spans[phrases[place].start, phrases[place].end]})


def neighbours(
    spans: Spans, phrases: Sequence[Phrase], limit: int, operators: Sequence[str], rng: np.random.Generator
) -> list[Shape]:
    """The shapes of an operator and a point that are drawn, the derivation's own first; that alone where none can be applied."""
    length = max((phrase.end for phrase in phrases), default=0)
    for _ in range(ATTEMPTS if phrases else 0):
        operator = operators[int(rng.integers(len(operators)))]
        if operator == "retrans":
            return [retranslate(spans, phrases, int(rng.integers(len(phrases))))]
        if operator == "merge-split" and length > 1:
            own, *others = merge_split(spans, phrases, int(rng.integers(1, length)))
            return [own, *(shape for shape in others if is_reachable(shape.phrases, limit))]
        if operator == "reorder" and len(phrases) > 1:
            first, second = sorted(rng.choice(len(phrases), 2, replace=False).tolist())
            shapes = reorder(phrases, first, second)
            if is_reachable(shapes[1].phrases, limit):
                return shapes
    return [Shape(tuple(phrases), {})]
