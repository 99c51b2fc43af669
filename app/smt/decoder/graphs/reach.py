"""Distance of a text's translations to references: BLEU of the best derivations and of the oracles."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Float64s
from app.metrics import metric_named
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.oracle import Oracle

__all__ = ["Reach"]


class Reach:
    """Sums of BLEU statistics over sentences, of the best derivations and of the oracles."""

    def __init__(self) -> None:
        self._metric = metric_named("bleu|tok:none")
        self._sums: list[Float64s] = []
        self._oracles: list[Oracle] = []
        self._reach_count = 0

    def add(self, best: Derivation, oracle: Oracle, references: Sequence[str]) -> None:
        """Add the statistics of one sentence."""
        reference_statistics = self._metric.prepare([[reference] * 2 for reference in references])
        self._sums.append(reference_statistics.statistics([best.text, oracle.derivation.text]))
        self._oracles.append(oracle)
        self._reach_count += any(oracle.derivation.words == reference.split() for reference in references)

    def report(self) -> str:
        """Report corpus BLEU of both, the number of sentences that reach a reference, and of exact oracles."""
        if not self._sums:
            return "oracle: no sentences"
        best, oracle = self._metric.score(np.sum(self._sums, 0))
        exact = sum(item.exact for item in self._oracles)
        return (
            f"oracle: BLEU {oracle:.2f}, of the best derivations {best:.2f}; {self._reach_count} of {len(self._oracles)} sentences "
            f"reach a reference; {exact} oracles are exact"
        )
