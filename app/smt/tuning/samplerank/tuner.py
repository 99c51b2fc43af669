"""SampleRank on n-best lists: epochs, chains on shards, mixing, averaging, and a held-out monitor.

Haddow, Arun and Koehn 2011, §2.2.4 and §3.2. The neighbourhood of a hypothesis is its list.
"""

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.running.journal import Journal
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.online.learner import unit_of
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.samplerank.list_chain import ChainPlan, ListChain, ListChains
from app.smt.tuning.samplerank.rules import BEST, CLOSEST, GAIN, HOPE, MIRA, PERCEPTRON, UNIT_MARGIN, ChainRules
from app.smt.tuning.weights import normalised
from app.smt.tuning.work import ListSizes
from app.text.reading.options import Choice, Number

__all__ = ["SAMPLERANK", "mixed", "tune_samplerank"]


def tune_samplerank(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Return the mean of the weights over all steps and chains; with a monitor, the mean of its best epoch.

    Sampling depends on the size of the weights: start weights are normalised to an absolute sum of 1.
    """
    start = normalised(data.start)
    unit = unit_of(data.pool, settings["unit"])
    monitor, training = _parted(data.pool, settings["held-out"], rng)
    chains = _chains(training, unit, settings)
    number = min(settings["chains"], len(training))
    plan = ChainPlan(settings["burn-in"], settings["samples"], settings["batch"], settings["neighbours"])
    judge = training if monitor is None else monitor
    weights = start / unit
    weight_sum, counts = np.zeros(len(weights)), np.zeros(4, np.int64)
    best, best_score, worse = start, judge.score(start), 0
    mean, curve, epochs = best, [IterationScore(0, data.pool.score(best))], settings["epochs"]
    for epoch in range(epochs):
        stands = []
        for shard, chain_rng in zip(np.array_split(rng.permutation(len(training)), number), rng.spawn(number), strict=True):
            task = partial(chains.epoch, weights, shard, plan, chain_rng, journal, epoch / epochs)
            stands.append(ListChain.of_array(journal.recall(task)))
        weights = mixed(stands)
        weight_sum += np.sum([stand.weight_sum() for stand in stands], axis=0)
        counts += np.sum([stand.counts for stand in stands], axis=0)
        mean = unit * weight_sum / counts[0]
        curve.append(IterationScore(epoch + 1, data.pool.score(mean)))
        score = judge.score(mean)
        worse += 1
        if judge.better(score, best_score):
            best, best_score, worse = mean, score, 0
        if monitor is not None and worse >= settings["patience"]:
            break
    result = mean if monitor is None and settings["take"] == "last" and mean.any() else best
    return TuningOutcome(result, curve, _notes(counts, len(curve) - 1, number, monitor is not None, best_score))


def mixed(stands: list[ListChain]) -> Float64s:
    """Return the mean of the chains' weights, the start of their next epoch (McDonald et al. 2010); (width,)."""
    return np.asarray(np.mean([stand.weights for stand in stands], axis=0))


def _chains(pool: TuningPool, unit: Float64s, settings: Settings) -> ListChains:
    step = settings["C"] if settings["update"] == MIRA else settings["rate"]
    rules = ChainRules(settings["oracle"], settings["update"], settings["margin"], step, settings["temperature"])
    return ListChains(replace(pool, features=pool.features.scaled(unit)), CorpusGain(pool.metric, settings["scale"]), rules)


def _parted(pool: TuningPool, share: float, rng: np.random.Generator) -> tuple[TuningPool | None, TuningPool]:
    """Split segments into a held-out part for the monitor (possibly empty) and a training part (not empty)."""
    held_count = min(round(share * len(pool)), len(pool) - 1)
    if held_count == 0:
        return None, pool
    order = rng.permutation(len(pool))
    return pool.rows(np.sort(order[:held_count])), pool.rows(np.sort(order[held_count:]))


def _notes(counts: Int64s, epochs: int, chains: int, monitored: bool, score: float) -> dict[str, Any]:
    steps, violations, updates, clip_count = counts.tolist()
    notes = {
        "epochs": epochs,
        "chains": chains,
        "steps": steps,
        "violations": violations,
        "updates": updates,
        "clipped": clip_count,
        "violation_share": violations / steps if steps else 0.0,
        "clipped_share": clip_count / updates if updates else 0.0,
    }
    return notes | ({"held_out_score": score} if monitored else {})


def _work(settings: Settings, sizes: ListSizes) -> float:
    """Return feature values that all samples read, each with its neighbours."""
    mean = sizes.hypotheses / max(sizes.lists, 1)
    neighbours = min(settings["neighbours"] or mean, mean)
    samples = settings["epochs"] * (settings["burn-in"] + settings["samples"])
    return float(samples * sizes.lists * neighbours * sizes.features)


SAMPLERANK: Final = TuningMethod(
    "samplerank",
    "SampleRank on n-best lists: chains of samples, moved where model and metric rank otherwise",
    {
        "epochs": Number(1, 1000, 10, is_whole=True),
        "chains": Number(1, 64, 1, is_whole=True),
        "burn-in": Number(0, 10_000, 20, is_whole=True),
        "samples": Number(1, 10_000, 40, is_whole=True),
        "batch": Number(0, 1_000_000, 64, is_whole=True),
        "neighbours": Number(0, 1_000_000, 0, is_whole=True),
        "oracle": Choice({"hope": HOPE, "best": BEST, "closest": CLOSEST}, HOPE),
        "update": Choice({"mira": MIRA, "perceptron": PERCEPTRON}, MIRA),
        "margin": Choice({"gain": GAIN, "one": UNIT_MARGIN}, GAIN),
        "C": Number(0.0, 1e9, 0.01),
        "rate": Number(0.0, 1e9, 1.0),
        "scale": Number(1e-9, 1e9, 100.0),
        "temperature": Number(1e-6, 1e6, 1.0),
        "unit": Choice({"none": "none", "root": "root", "spread": "spread"}, "none"),
        "held-out": Number(0.0, 0.5, 0.0),
        "patience": Number(1, 1000, 3, is_whole=True),
        "take": Choice({"best": "best", "last": "last"}, "last"),
    },
    tune_samplerank,
    "Haddow, Arun and Koehn 2011",
    _work,
)
