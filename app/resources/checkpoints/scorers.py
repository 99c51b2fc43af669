"""The score of a source, a translation and a reference by each architecture."""

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

__all__ = ["CheckpointScore", "Parts", "VectorCache", "scorer_of", "width_of_head"]

# Texts in a cache, 4 kB each: those of the longest lists whose translations are compared with each other.
CACHED_TEXTS: Final = 4096


@dataclass(frozen=True)
class CheckpointScore:
    """A score; `cut` where the model read a part of a text alone."""

    score: float
    cut: bool


@dataclass(frozen=True)
class Parts:
    """The parts of a loaded checkpoint."""

    card: CheckpointCard
    network: Network
    sequences: Sequences
    head: Head | None


class VectorCache:
    """Pooled vectors of the last texts, for one thread."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._vectors: OrderedDict[str, tuple[Float32s, bool]] = OrderedDict()

    def pooled(self, text: str) -> tuple[Float32s, bool]:
        """The vector of a text alone, and True where the text was cut."""
        if text in self._vectors:
            self._vectors.move_to_end(text)
            return self._vectors[text]
        tokens, kinds, cut = self._parts.sequences.single(text)
        self._vectors[text] = result = (self._parts.network.pooled(tokens, kinds), cut)
        if len(self._vectors) > CACHED_TEXTS:
            self._vectors.popitem(last=False)
        return result


Scorer = Callable[[Parts, VectorCache, str | None, str, str | None], CheckpointScore]


def _head_score(parts: Parts, vector: Float32s) -> float:
    assert parts.head is not None
    return parts.head(vector)


def _estimator(parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None) -> CheckpointScore:
    (t, t_cut), (s, s_cut), (r, r_cut) = (cache.pooled(text or "") for text in (translation, source, reference))
    features = np.concatenate([t, r, t * r, np.abs(t - r), t * s, np.abs(t - s)])
    return CheckpointScore(_head_score(parts, features), t_cut or s_cut or r_cut)


def _referenceless(
    parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None
) -> CheckpointScore:
    (t, t_cut), (s, s_cut) = cache.pooled(translation), cache.pooled(source or "")
    features = np.concatenate([t, s, t * s, np.abs(t - s)])
    return CheckpointScore(_head_score(parts, features), t_cut or s_cut)


def _unified(parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None) -> CheckpointScore:
    """The mean over the translation with its source, with its reference, and with both, without absent texts."""
    texts = [[translation, text] for text in (source, reference) if text is not None]
    if source is not None and reference is not None:
        texts.append([translation, source, reference])
    sequences = [parts.sequences.joined(group) for group in texts]
    scores = [np.float32(_head_score(parts, parts.network.vectors(tokens, kinds)[0])) for tokens, kinds, _ in sequences]
    return CheckpointScore(float(np.mean(scores, dtype=np.float32)), any(cut for *_, cut in sequences))


def _mono(parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None) -> CheckpointScore:
    tokens, kinds, cut = parts.sequences.pair(source or "", translation, True)
    return CheckpointScore(_head_score(parts, parts.network.vectors(tokens, kinds)[0]), cut)


def _bleurt(parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None) -> CheckpointScore:
    tokens, kinds, cut = parts.sequences.pair(reference or "", translation, False)
    return CheckpointScore(_head_score(parts, parts.network.vectors(tokens, kinds)[0]), cut)


def _metricx(parts: Parts, cache: VectorCache, source: str | None, translation: str, reference: str | None) -> CheckpointScore:
    text = "".join(_template_parts(parts.card.template, source, translation, reference))
    tokens, kinds, cut = parts.sequences.bare(text)
    score = _head_score(parts, parts.network.vectors(tokens, kinds)[0])
    lowest, highest = parts.card.lowest, parts.card.highest
    return CheckpointScore(float(np.clip(score, lowest, highest)), cut)


def _template_parts(template: str, source: str | None, translation: str, reference: str | None) -> list[str]:
    """Texts, each after its label: translation first as in MetricX-23, or source first as in MetricX-24."""
    words = {"source": source, "candidate": translation, "reference": reference}
    texts = [(word, words[word]) for word in template.split() if words[word] is not None]
    return [f"{' ' if index else ''}{word}: {text}" for index, (word, text) in enumerate(texts)]


SCORERS: Final[Mapping[Architecture, tuple[Scorer, int | None]]] = {
    "comet-estimator": (_estimator, 6),
    "comet-referenceless": (_referenceless, 4),
    "comet-unified": (_unified, 1),
    "transquest-mono": (_mono, 1),
    "bleurt": (_bleurt, 1),
    "metricx": (_metricx, 1),
}


def scorer_of(architecture: Architecture) -> Scorer:
    """The function that scores with an architecture."""
    return SCORERS[architecture][0]


def width_of_head(architecture: Architecture) -> int | None:
    """The number of vectors that go into the head, or None without a head."""
    return SCORERS[architecture][1]
