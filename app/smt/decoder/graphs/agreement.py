"""Minimum Bayes risk over a sentence's own n-best list (Kumar and Byrne 2004): what the likely translations agree with most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.derivation import Derivation
from app.smt.lists.mbr import decide, model_probabilities

__all__ = ["Agreement"]

MOST_CANDIDATES = 10_000
MOST_SCALE = 1000


@dataclass(frozen=True)
class _OneList:
    texts: Sequence[str]
    offsets: Int64s


@dataclass(frozen=True)
class Agreement:
    """So many translations stand for all, each as probable as the softmax of `scale` × score says; `metric` compares them.

    The numbers are Moses' own for `-mbr`.
    """

    size: int = 200
    scale: float = 1.0
    metric: str = "bleu"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MOST_CANDIDATES:
            raise InputError("invalid-request", f"agreement is looked for among 1 to {MOST_CANDIDATES} translations", ("mbr-size",))
        if not 0 <= self.scale <= MOST_SCALE:
            raise InputError("invalid-request", f"the scale of scores is from 0 to {MOST_SCALE}", ("mbr-scale",))

    def best(self, derivations: Sequence[Derivation]) -> Derivation:
        """Of derivations of different translations, the best first, the one with the best expected score."""
        offsets = np.array([0, len(derivations)])
        lists = _OneList([derivation.text for derivation in derivations], offsets)
        scores = np.array([derivation.score for derivation in derivations])
        made = decide(lists, metric_named(self.metric), model_probabilities(scores, offsets, self.scale))
        return derivations[int(made.chosen[0])]
