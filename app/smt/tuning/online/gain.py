"""Gain of a hypothesis: the corpus score of a set of hypotheses that contains it."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.metrics.lexical.bleu import Bleu
from app.smt.tuning.online.gain_kernels import added_bleus

__all__ = ["CorpusGain"]


@dataclass(frozen=True)
class CorpusGain:
    """The corpus score of summed statistics as a fraction, times `scale`; for error rates, 1 minus the rate.

    BLEU gets 0.01 added to matches and totals of every order (Haddow et al. 2011, §2.2.1) instead of its own smoothing: gains then
    differ even without matches of some order. Other metrics do not change.
    """

    metric: Metric
    scale: float = 100.0

    @property
    def compiled(self) -> bool:
        """True if kernels compute the gain."""
        return type(self.metric) is Bleu

    def of(self, base: Float64s, rows: Float64s) -> Float64s:
        """Return the gain of ``base + row`` for each row; (s,) and (m, s) to (m,)."""
        if self.compiled:
            return np.asarray(self.scale * added_bleus(base, rows))
        shares = self.metric.score(base + rows) / (100.0 if "100" in self.metric.unit else 1.0)
        return np.asarray(self.scale * (shares if self.metric.higher_is_better else 1.0 - shares))
