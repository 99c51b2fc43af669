"""What a hypothesis is worth among others: the corpus score of a whole that it is a part of."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.metrics.lexical.bleu import Bleu
from app.smt.tuning.online.gain_kernels import added_bleus

__all__ = ["CorpusGain"]


@dataclass(frozen=True)
class CorpusGain:
    """The corpus score of sums of statistics as a fraction times `scale`; of error rates, what they leave of 1.

    BLEU has 0.01 added to every order's matches and totals (Haddow et al. 2011, §2.2.1), whatever smoothing its own name asks
    for: a gain tells hypotheses apart also where an order has no match. Other metrics are measured as they are.
    """

    metric: Metric
    scale: float = 100.0

    @property
    def compiled(self) -> bool:
        """Whether kernels compute it themselves."""
        return type(self.metric) is Bleu

    def of(self, base: Float64s, rows: Float64s) -> Float64s:
        """The gain of ``base + row`` for each row; (s,) and (m, s) to (m,)."""
        if self.compiled:
            return np.asarray(self.scale * added_bleus(base, rows))
        shares = self.metric.score(base + rows) / (100.0 if "100" in self.metric.unit else 1.0)
        return np.asarray(self.scale * (shares if self.metric.higher_is_better else 1.0 - shares))
