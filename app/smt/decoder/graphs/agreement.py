"""Minimum Bayes risk over the n-best list of one sentence (Kumar and Byrne 2004)."""

from dataclasses import dataclass

import numpy as np

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.decoder import SearchResult
from app.smt.decoder.derivation import Derivation
from app.smt.lists.mbr.decision import PlainTextLists, decide
from app.smt.lists.mbr.probabilities import model_probabilities

__all__ = ["CANDIDATE_LIMIT", "SCALE_LIMIT", "SentenceMbr"]

CANDIDATE_LIMIT = 10_000
SCALE_LIMIT = 1000


@dataclass(frozen=True)
class SentenceMbr:
    """Options of minimum Bayes risk: `size` translations with probabilities softmax(`scale` × score), compared by `metric`.

    The defaults are Moses' own for `-mbr`.
    """

    size: int = 200
    scale: float = 1.0
    metric: str = "bleu"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= CANDIDATE_LIMIT:
            raise InputError("invalid-request", f"agreement takes 1 to {CANDIDATE_LIMIT} translations", ("mbr-size",))
        if not 0 <= self.scale <= SCALE_LIMIT:
            raise InputError("invalid-request", f"the scale of scores is from 0 to {SCALE_LIMIT}", ("mbr-scale",))

    def best(self, result: SearchResult) -> Derivation:
        """Derivation with the best expected score among the best distinct translations of a search with alternatives."""
        derivations = result.n_best(self.size, distinct=True)
        offsets = np.array([0, len(derivations)])
        lists = PlainTextLists(offsets, [derivation.text for derivation in derivations])
        scores = np.array([derivation.score for derivation in derivations])
        decision = decide(lists, metric_named(self.metric), model_probabilities(scores, offsets, self.scale))
        return derivations[int(decision.chosen[0])]
