"""Reranking systems of Srivastava's thesis (4.5): joint weights of decoder and reranking features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import metric_named
from app.running.journal import SILENT, Journal
from app.smt.lists.reranking.columns import COLUMNS
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.spreads import spreads
from app.smt.tuning.tune import TuningRuns, tune
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists

__all__ = ["RERANKERS", "SCALINGS", "RerankMethod", "Reranker", "scaling_of", "train_reranker", "uniform_weights"]

# Division by the deviation within lists; also centred, which changes no order; unchanged.
SCALINGS: Final = ("deviation", "standard", "none")


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """Offsets and divisors of columns; both (width,), measured on the tuning lists."""

    kind: str
    names: tuple[str, ...]
    centres: Float64s
    deviations: Float64s

    def scaled(self, pool: TuningPool) -> TuningPool:
        """Return the pool with scaled features."""
        features = pool.features.scaled(1.0 / self.deviations)
        if self.kind != "standard":
            return replace(pool, features=features)
        if features.sparse is not None:
            raise InputError("invalid-tuning", "sparse features cannot be centred; use a scaling by deviation only", ("scaling",))
        return replace(pool, features=replace(features, dense=features.dense - self.centres / self.deviations))

    def onto(self, weights: Float64s) -> Float64s:
        """Convert weights of raw features to weights of scaled ones."""
        return weights * self.deviations

    def back(self, weights: Float64s) -> Float64s:
        """Convert weights of scaled features to weights of raw ones with equal choices."""
        return weights / self.deviations


def scaling_of(pool: TuningPool, kind: str = "deviation") -> FeatureScaling:
    """Measure a scaling on the tuning pool: deviations within lists (1 for constant columns), means over all hypotheses."""
    if kind not in SCALINGS:
        raise InputError("invalid-tuning", f"scalings are {', '.join(SCALINGS)}", ("scaling",))
    width = pool.features.width
    if kind == "none":
        return FeatureScaling(kind, pool.names, np.zeros(width), np.ones(width))
    deviations = spreads(pool)
    means = pool.features.gathered(np.full(len(pool.features), 1.0 / len(pool.features)))
    return FeatureScaling(kind, pool.names, means, np.where(deviations > 0, deviations, 1.0))


@dataclass(frozen=True)
class RerankMethod:
    """A tuning method on all features; `move` then moves its weights by oracles of the metric `oracles` (default: the corpus metric)."""

    name: str
    method: str
    move: str | None = None
    oracles: str | None = None


BLEU: Final = "bleu|tok:none|smooth:none"
METEOR: Final = "meteor"
RERANKERS: Final = {
    recipe.name: recipe
    for recipe in (
        RerankMethod("rerank-mert", "mert"),
        RerankMethod("rerank-bprod", "mert", "resc-prod"),
        RerankMethod("rerank-mprod", "mert", "resc-prod", METEOR),
        RerankMethod("rerank-bsum", "mert", "resc-sum"),
        RerankMethod("rerank-msum", "mert", "resc-sum", METEOR),
        RerankMethod("rerank-uniform", "uniform"),
    )
}


@dataclass(frozen=True, eq=False)
class Reranker:
    """Result of a recipe: weights of unscaled features, the scale of tuning, and the score on the tuning lists."""

    recipe: str
    weights: FeatureWeights
    scaling: FeatureScaling
    score: float
    tuning: TuningRuns | None


def train_reranker(
    lists: NBestLists,
    references: Sequence[Sequence[str]],
    recipe: str = "rerank-mert",
    metric: str = BLEU,
    start: FeatureWeights | None = None,
    scaling: str = "deviation",
    seeds: Sequence[int] = (1,),
    average: bool = False,
    journal: Journal = SILENT,
) -> Reranker:
    """Run a recipe of `RERANKERS`, or a tuning method (``mira|cap:0.01``), on lists with all features.

    `start` are weights of the decoder's features; other features begin at 0. Without `start`, all begin with equal weights.
    The best run over seeds counts, or with `average` the mean of all runs, scaled to one length.
    """
    system = RERANKERS.get(recipe) or RerankMethod(recipe, recipe)
    pool = pool_of(lists, metric_named(metric), references)
    scale = scaling_of(pool, scaling)
    begin = _start(pool.names, scale, start)
    scaled_pool = scale.scaled(pool)
    if system.method == "uniform":
        weights = scale.back(uniform_weights(pool.names, begin))
        return Reranker(recipe, FeatureWeights.of(pool.names, weights), scale, pool.score(weights), None)
    tuning = tune(TuningData(scaled_pool, begin, references=references), system.method, seeds, journal=journal)
    weights = scale.back(_mean([run.weights for run in tuning.runs]) if average else tuning.best.weights)
    if system.move is not None:
        if scale.kind == "standard":
            # Centred means are near 0, so their ratio is arbitrary.
            raise InputError("invalid-tuning", "rescoring by oracles needs features that are scaled, not centred", ("scaling",))
        oracles = pool if system.oracles is None else pool_of(lists, metric_named(system.oracles), references)
        second_run = tune(TuningData(replace(oracles), weights, references=references), system.move, (1,))
        weights = second_run.best.weights
    return Reranker(recipe, FeatureWeights.of(pool.names, weights), scale, pool.score(weights), tuning)


def uniform_weights(names: Sequence[str], begin: Float64s) -> Float64s:
    """Return start weights: equal effects of all new features, as the decoder's mean effect; negative for perplexities."""
    new = np.array([name.split("|")[0] in COLUMNS for name in names], np.bool_)
    size = float(np.abs(begin[~new]).mean()) if (~new).any() and begin[~new].any() else 1.0
    signs = np.array([-1.0 if name.startswith("ppl") else 1.0 for name in names])
    return np.where(new, size * signs, begin)


def _start(names: Sequence[str], scale: FeatureScaling, start: FeatureWeights | None) -> Float64s:
    if start is None:
        return np.ones(len(names))
    return scale.onto(start.of_columns(names, zero_missing=True))


def _mean(runs: Sequence[Float64s]) -> Float64s:
    return np.asarray(np.mean([weights / np.linalg.norm(weights) for weights in runs], axis=0))
