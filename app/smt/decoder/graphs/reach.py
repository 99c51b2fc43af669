"""How close a text's translations come to references: what was best to the model, and what the search could have written."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Float64s
from app.metrics import metric_named
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.oracle import Oracle

__all__ = ["Reach"]


class Reach:
    """Sums of BLEU's counts over sentences, of the best derivations and of the oracles."""

    def __init__(self) -> None:
        self._metric = metric_named("bleu|tok:none")
        self._sums: list[Float64s] = []
        self._oracles: list[Oracle] = []
        self._reached = 0

    def add(self, best: Derivation, oracle: Oracle, references: Sequence[str]) -> None:
        """Count a sentence."""
        prepared = self._metric.prepare([[reference] * 2 for reference in references])
        self._sums.append(prepared.statistics([best.text, oracle.derivation.text]))
        self._oracles.append(oracle)
        self._reached += any(oracle.derivation.words == reference.split() for reference in references)

    def report(self) -> str:
        """Corpus BLEU of both, how many references were reached, and how many oracles are exact."""
        if not self._sums:
            return "oracle: no sentences"
        best, oracle = self._metric.score(np.sum(self._sums, 0))
        exact = sum(one.exact for one in self._oracles)
        return (
            f"oracle: BLEU {oracle:.2f}, of the best derivations {best:.2f}; {self._reached} of {len(self._oracles)} sentences "
            f"reach a reference; {exact} oracles are exact"
        )
