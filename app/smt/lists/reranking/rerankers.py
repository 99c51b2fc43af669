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
from app.smt.lists.reranking.scaled_features import Scaling, scaling_of
from app.smt.tuning import Tuned, TuningData, Weights, pool_of, tune
from app.text.n_best import NBestLists

__all__ = ["RERANKERS", "RerankMethod", "Reranker", "train_reranker", "uniform_weights"]


@dataclass(frozen=True)
class RerankMethod:
    """A tuning method on all features; `then` moves its weights by oracles of the metric `oracles` (default: the corpus metric)."""

    name: str
    method: str
    then: str | None = None
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
    weights: Weights
    scaling: Scaling
    score: float
    tuned: Tuned | None


def train_reranker(
    lists: NBestLists,
    references: Sequence[Sequence[str]],
    recipe: str = "rerank-mert",
    metric: str = BLEU,
    start: Weights | None = None,
    scaling: str = "deviation",
    seeds: Sequence[int] = (1,),
    average: bool = False,
    journal: Journal = SILENT,
) -> Reranker:
    """Run a recipe of `RERANKERS`, or a tuning method (``mira|cap:0.01``), on lists with all features.

    `start` are weights of the decoder's features; other features begin at 0. Without `start`, all begin with equal weights.
    The best run over seeds counts, or with `average` the mean of all runs, scaled to one length.
    """
    chosen = RERANKERS.get(recipe) or RerankMethod(recipe, recipe)
    pool = pool_of(lists, metric_named(metric), references)
    scale = scaling_of(pool, scaling)
    begin = _start(pool.names, scale, start)
    scaled_pool = scale.scaled(pool)
    if chosen.method == "uniform":
        weights = scale.back(uniform_weights(pool.names, begin))
        return Reranker(recipe, Weights.of(pool.names, weights), scale, pool.score(weights), None)
    tuned = tune(TuningData(scaled_pool, begin, references=references), chosen.method, seeds, journal=journal)
    weights = scale.back(_mean([run.weights for run in tuned.runs]) if average else tuned.best.weights)
    if chosen.then is not None:
        if scale.kind == "standard":
            # Centred means are near 0, so their ratio is arbitrary.
            raise InputError("invalid-tuning", "rescoring by oracles needs features that are scaled, not centred", ("scaling",))
        oracles = pool if chosen.oracles is None else pool_of(lists, metric_named(chosen.oracles), references)
        second_run = tune(TuningData(replace(oracles), weights, references=references), chosen.then, (1,))
        weights = second_run.best.weights
    return Reranker(recipe, Weights.of(pool.names, weights), scale, pool.score(weights), tuned)


def uniform_weights(names: Sequence[str], begin: Float64s) -> Float64s:
    """Return start weights: equal effects of all new features, as the decoder's mean effect; negative for perplexities."""
    new = np.array([name.split("|")[0] in COLUMNS for name in names], np.bool_)
    size = float(np.abs(begin[~new]).mean()) if (~new).any() and begin[~new].any() else 1.0
    signs = np.array([-1.0 if name.startswith("ppl") else 1.0 for name in names])
    return np.where(new, size * signs, begin)


def _start(names: Sequence[str], scale: Scaling, start: Weights | None) -> Float64s:
    if start is None:
        return np.ones(len(names))
    there = {name: start.values.get(name) for name in names}
    filled = Weights({name: row or (0.0,) * list(names).count(name) for name, row in there.items()})
    return scale.onto(filled.of_columns(names))


def _mean(runs: Sequence[Float64s]) -> Float64s:
    return np.asarray(np.mean([weights / np.linalg.norm(weights) for weights in runs], axis=0))
