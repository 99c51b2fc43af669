"""Weighted ranking optimisation, global (Song 2015, §5.1, Algorithm 5.1), and its single parts (Table 5.1)."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.method import Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pairs.pro import ROUND_OPTIONS, tune_by_pairs
from app.smt.tuning.pairs.samples import FULL_WEIGHT_BLEU, PAIR_OPTIONS, draw_samples, weight_global
from app.smt.tuning.pairs.sentence_bleu import pair_gains
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.work import work_of_pairs
from app.text.reading.options import Choice, Number

__all__ = ["WRO", "segment_weights", "tune_wro"]


def tune_wro(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Tune on pairs with an oracle as first hypothesis; segments far from their reference have lower weights."""
    pool = data.pool
    weights, gains = segment_weights(pool, settings), pair_gains(pool, settings["brevity"])
    notes = {"segments_out_of_reach": int((weights < 1).sum()), "mean_weight": float(weights.mean())}
    return tune_by_pairs(
        data,
        settings,
        journal,
        lambda share: draw_samples(pool, settings, rng, journal, settings["top"], weights, share, gains),
        notes,
    )


def segment_weights(pool: TuningPool, settings: Settings) -> Float64s:
    """Return the segment weights by the option `weight`; (n,)."""
    return weight_global(pool, settings["reach"]) if settings["weight"] == "global" else np.ones(len(pool))


WRO: Final = TuningMethod(
    "wro",
    "weighted ranking optimisation (global): oracles against the list, segments weighted by how near their best comes",
    {
        **PAIR_OPTIONS,
        **ROUND_OPTIONS,
        "top": Number(0, 1, 0.1),
        "weight": Choice({"global": "global", "one": "one"}, "global"),
        "reach": Number(0, 1, FULL_WEIGHT_BLEU),
    },
    tune_wro,
    "Song 2015, §5.1",
    work_of_pairs,
)
