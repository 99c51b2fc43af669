"""How each architecture makes a score of a source, a translation and a reference."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.card import Architecture, CheckpointCard
from app.resources.checkpoints.head import Head
from app.resources.checkpoints.network import Network
from app.resources.checkpoints.sequences import Sequences

__all__ = ["Parts", "Remembered", "Scored", "scorer_of", "width_of_head"]

# Texts whose vectors are kept while one request is worked on: of a segment there is one source beside several systems' outputs.
REMEMBERED: Final = 64


@dataclass(frozen=True)
class Scored:
    """A score, and whether a text was cut for it."""

    score: float
    cut: bool


@dataclass(frozen=True)
class Parts:
    """What a score is made with."""

    card: CheckpointCard
    network: Network
    sequences: Sequences
    head: Head | None


class Remembered:
    """Vectors of the last texts, for one thread."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._vectors: OrderedDict[str, tuple[Float32s, bool]] = OrderedDict()

    def pooled(self, text: str) -> tuple[Float32s, bool]:
        """The vector of a text alone, and whether it was cut."""
        if text in self._vectors:
            self._vectors.move_to_end(text)
            return self._vectors[text]
        tokens, kinds, cut = self._parts.sequences.single(text)
        self._vectors[text] = result = (self._parts.network.pooled(tokens, kinds), cut)
        if len(self._vectors) > REMEMBERED:
            self._vectors.popitem(last=False)
        return result


Scorer = Callable[[Parts, Remembered, str | None, str, str | None], Scored]


def _headed(parts: Parts, vector: Float32s) -> float:
    assert parts.head is not None
    return parts.head(vector)


def _estimator(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    (ours, first), (theirs, second), (right, third) = (seen.pooled(text or "") for text in (translation, source, reference))
    joined = np.concatenate([ours, right, ours * right, np.abs(ours - right), ours * theirs, np.abs(ours - theirs)])
    return Scored(_headed(parts, joined), first or second or third)


def _referenceless(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    (ours, first), (theirs, second) = seen.pooled(translation), seen.pooled(source or "")
    joined = np.concatenate([ours, theirs, ours * theirs, np.abs(ours - theirs)])
    return Scored(_headed(parts, joined), first or second)


def _unified(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    """The mean over the translation with its source, with its reference, and with both, as many of these as there are."""
    texts = [[translation, text] for text in (source, reference) if text is not None]
    if source is not None and reference is not None:
        texts.append([translation, source, reference])
    sequences = [parts.sequences.joined(joined) for joined in texts]
    scores = [np.float32(_headed(parts, parts.network.vectors(tokens, kinds)[0])) for tokens, kinds, _ in sequences]
    return Scored(float(np.mean(scores, dtype=np.float32)), any(cut for *_, cut in sequences))


def _mono(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    tokens, kinds, cut = parts.sequences.pair(source or "", translation, True)
    return Scored(_headed(parts, parts.network.vectors(tokens, kinds)[0]), cut)


def _bleurt(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    tokens, kinds, cut = parts.sequences.pair(reference or "", translation, False)
    return Scored(_headed(parts, parts.network.vectors(tokens, kinds)[0]), cut)


def _metricx(parts: Parts, seen: Remembered, source: str | None, translation: str, reference: str | None) -> Scored:
    text = "".join(written for _, written in _written(parts.card.template, source, translation, reference))
    tokens, kinds, cut = parts.sequences.bare(text)
    score = _headed(parts, parts.network.vectors(tokens, kinds)[0])
    lowest, highest = parts.card.lowest, parts.card.highest
    return Scored(float(np.clip(score, lowest, highest)), cut)


def _written(template: str, source: str | None, translation: str, reference: str | None) -> list[tuple[str, str]]:
    """What MetricX-23 (translation first) and MetricX-24 (source first) write before each text."""
    words = {"source": source, "candidate": translation, "reference": reference}
    given = [(word, words[word]) for word in template.split() if words[word] is not None]
    return [(word, f"{' ' if place else ''}{word}: {text}") for place, (word, text) in enumerate(given)]


SCORERS: Final[Mapping[Architecture, tuple[Scorer, int | None]]] = {
    "comet-estimator": (_estimator, 6),
    "comet-referenceless": (_referenceless, 4),
    "comet-unified": (_unified, 1),
    "transquest-mono": (_mono, 1),
    "bleurt": (_bleurt, 1),
    "metricx": (_metricx, 1),
}


def scorer_of(architecture: Architecture) -> Scorer:
    """What makes scores of an architecture."""
    return SCORERS[architecture][0]


def width_of_head(architecture: Architecture) -> int | None:
    """How many vectors go into the head, or None where there is no head."""
    return SCORERS[architecture][1]
