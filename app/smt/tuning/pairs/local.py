"""Weights for single sentences (WRO-Local; Song 2015, §5.2, Algorithm 5.2): similar development sentences count more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.method import Settings, TuningData
from app.smt.tuning.pairs.samples import Samples, draw_samples
from app.smt.tuning.pairs.similarity import source_similarities
from app.smt.tuning.pairs.wro import WRO, segment_weights
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import spreads
from app.smt.tuning.tune import filled, start_of
from app.smt.tuning.weights import normalised, tidied
from app.text.reading.options import DEFAULT_NO, Choice, Number, Option, parse_options

__all__ = [
    "LOCAL_OPTIONS",
    "NAME",
    "LocalMixture",
    "LocalWeights",
    "chosen_locally",
    "local_weights",
    "parse_local",
    "tune_locally",
]

NAME: Final = "wro-local"
# Sentences per entry of the journal.
SENTENCES_PER_ENTRY: Final = 10
# Sentences with similarities in memory at once.
GROUP: Final = 500
# Each sentence has its own training, so options about rounds do not apply.
LOCAL_OPTIONS: Final[Mapping[str, Option]] = {
    **{name: option for name, option in WRO.options.items() if name not in ("rounds", "take", "old")},
    "global": Number(0, 1e6, 1.0),
    "similar": Number(0, 1e6, 10.0),
    "scale": Number(0, 1e6, 1.0),
    "alpha": Number(0, 1e3, 1.0),
    "normalise": DEFAULT_NO,
    "tokenise": Choice({name: name for name in METRIC_TOKENISERS}, "13a"),
}


@dataclass(frozen=True)
class LocalMixture:
    """Weight of a development sentence (5.4): (α1 · its global weight + α2 · its similarity) / (α1 + α2).

    Algorithm 5.2 swaps α1 and α2; the values 1 and 10 belong to the equation. With `normalised`, weights have a mean of 1: a prior
    then counts as much as in one training for all sentences.
    """

    of_global: float = 1.0
    of_similarity: float = 10.0
    normalised: bool = False

    def weights(self, global_weights: Float64s, similarities: Float64s) -> Float64s:
        """Return the weights of n development sentences for a test sentence; (n,) and (n,) to (n,)."""
        total = self.of_global + self.of_similarity
        if total == 0:
            raise InputError("invalid-tuning", "global and similar must not both be 0", ("method",))
        combined_weights = (self.of_global * global_weights + self.of_similarity * similarities) / total
        mean = float(combined_weights.mean()) if self.normalised and len(combined_weights) else 1.0
        return np.asarray(combined_weights / mean if mean > 0 else combined_weights)


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """Weights for each of t sentences (t, width), weights for all sentences (width,), and counts of events."""

    weights: Float64s
    common_weights: Float64s
    notes: Mapping[str, Any]


def local_weights(
    samples: Samples,
    similarities: Float64s,
    settings: Settings,
    mixture: LocalMixture = LocalMixture(),
    start: Float64s | None = None,
    journal: Journal = SILENT,
) -> Float64s:
    """Fit one regression on all samples for each row of similarities (t, n); return weights (t, width) of any scale.

    A row has the similarities of a test source to the n development sources. Each regression begins at `start` (width,), ideally
    the weights from all samples. A sentence without any weight in its row gets `start`.
    """
    fallback = np.zeros(samples.pool.features.width) if start is None else start
    counting = np.diff(samples.pairs.offsets) > 0
    out = [np.empty(0)]

    def fitted(rows: Float64s) -> Float64s:
        weights = np.array([mixture.weights(samples.weights, row) for row in rows])
        counts = np.asarray(weights[:, counting].any(1))
        weights[~counts] = 1.0
        begins = samples.near(settings, weights, fallback)
        fits = [samples.fit(settings, weights[i], begins[i]).weights if counts[i] else fallback for i in range(len(rows))]
        return np.concatenate([fit if fit.any() else fallback for fit in fits])

    for first in range(0, len(similarities), SENTENCES_PER_ENTRY):
        journal.report("weights of sentences", first / len(similarities))
        out.append(journal.recall(partial(fitted, similarities[first : first + SENTENCES_PER_ENTRY])))
    return np.concatenate(out).reshape(len(similarities), len(fallback))


def tune_locally(
    data: TuningData, sources: Sequence[str], spec: str = NAME, seed: int = 1, journal: Journal = SILENT
) -> LocalWeights:
    """Tune weights for each of t test `sources`, on the development lists and sources in `data`.

    `spec` is ``wro-local|key:value``. Features that are constant in every list keep their start weights. InputError for wrong
    options or sources.
    """
    settings = parse_local(spec)
    if data.sources is None:
        raise InputError("missing-evidence", "weights for single sentences need the source of every segment", ("sources",))
    if len(data.sources) != len(data.pool):
        raise InputError("unequal-lengths", f"there are {len(data.pool)} lists, but {len(data.sources)} sources", ("sources",))
    varying = np.flatnonzero(data.pool.varying)
    start = normalised(data.start)
    units = spreads(data.pool)
    if not len(varying):
        return LocalWeights(np.tile(tidied(start, units), (len(sources), 1)), tidied(start, units), {})
    pool = data.pool.with_columns(varying)
    shares = segment_weights(pool, settings)
    samples = draw_samples(pool, settings, np.random.default_rng(seed), journal, settings["top"], shares)
    fitted_weights = samples.fit(settings).weights if len(samples.pairs) else np.zeros(len(varying))
    common_weights = fitted_weights if fitted_weights.any() else start_of(data.start[varying])
    mixture = LocalMixture(settings["global"], settings["similar"], settings["normalise"])
    rows: list[Float64s] = []
    similar = 0.0
    for first in range(0, len(sources), GROUP):
        group = sources[first : first + GROUP]
        similarities = source_similarities(data.sources, group, settings["alpha"], settings["scale"], settings["tokenise"])
        similar += float(similarities.sum())
        share = Share(journal, first / len(sources), (first + len(group)) / len(sources))
        rows += list(local_weights(samples, similarities, settings, mixture, common_weights, share))
    notes = {
        "pairs": len(samples.pairs),
        "segments_without_pairs": int((np.diff(samples.pairs.offsets) == 0).sum()),
        "segments_out_of_reach": int((shares < 1).sum()),
        "sentences_without_weights": sum(np.array_equal(row, common_weights) for row in rows),
        "mean_similarity": similar / max(len(sources) * len(pool), 1),
    }
    weights = [tidied(filled(start, varying, row), units) for row in rows]
    return LocalWeights(
        np.array(weights).reshape(len(rows), len(start)), tidied(filled(start, varying, common_weights), units), notes
    )


def parse_local(spec: str) -> dict[str, Any]:
    """Parse the options of ``wro-local|key:value|…``; InputError lists valid ones."""
    name, *pairs = spec.split("|")
    if name != NAME:
        raise InputError("invalid-tuning", f"the method for single sentences is {NAME}", ("method",))
    return parse_options(NAME, LOCAL_OPTIONS, pairs, "invalid-tuning", "wro-local|similar:10|top:0.1", ("method",))


def chosen_locally(pool: TuningPool, weights: Float64s) -> Int64s:
    """Choose the hypothesis of each segment with the highest sum by its own weights (n, width); (n,)."""
    of_row = weights[pool.segment_of]
    columns = pool.features.dense.shape[1]
    scores = np.einsum("hk,hk->h", pool.features.dense, of_row[:, :columns])
    if pool.features.sparse is not None:
        scores = scores + np.asarray(pool.features.sparse.multiply(of_row[:, columns:]).sum(axis=1)).ravel()
    return np.asarray(first_of_best(scores, pool.offsets))
