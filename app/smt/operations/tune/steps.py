"""A tuning as a job: lists in chunks, then runs whose curves others may watch, then weights with what they changed."""

import time
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.operations.operation import Context, Json, Output, Plan, Planning
from app.operations.parts.costs.work import neural_count
from app.operations.parts.scoring.loaded_metrics import scoring_metrics
from app.running.journal import Share
from app.smt.operations.parts.n_best.chunks import chunks_of_lists, lists_of_chunk
from app.smt.operations.tune.answer import Lists, TuneAnswer, curve_of, tune_answer
from app.smt.operations.tune.extractor_scores import check_metric
from app.smt.operations.tune.request import HELD_OUT, TuneRequest
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.method import IterationScore, TuningData
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists

__all__ = ["CURVE", "finish_tuning", "split_tuning", "work_tuning"]

# Under which name a job publishes the curves of its runs so far, and how often at most, in seconds.
CURVE: Final = "tuning"
PUBLISHING_SECONDS: Final = 1.0
# Shares of the last step: measuring all hypotheses, and seeking weights.
MEASURED_SHARE: Final = 0.1
TUNED_SHARE: Final = 0.98


def split_tuning(planning: Planning, request: TuneRequest) -> Plan:
    """Plan the job; the metric must be one that is there."""
    metric = scoring_metrics(planning.engine, [request.metric], request.sources)[request.metric]
    statistics = None
    if request.scores is not None:
        check_metric(metric)
        statistics = [request.scores[row.start : row.stop] for row in request.n_best]
    if request.held_out_n_best is not None:
        try:
            scoring_metrics(planning.engine, [request.metric], request.held_out_sources)
        except InputError as error:
            raise _held_out_error(error) from None
    fields = {"n_best", "references", "sources", "scores"}
    missing_fields = {f"{prefix}{field}" for prefix in ("", HELD_OUT) for field in fields}
    columns = {"references": request.references, "sources": request.sources, "statistics": statistics}
    # Lists that no step measures stay in memory.
    is_whole = planning.in_process and statistics is None and not neural_count([request.metric])
    rows = None if is_whole else planning.chunk_rows
    chunks = chunks_of_lists(request.n_best, rows, columns)
    if request.held_out_n_best is not None:
        beside = {"references": request.held_out_references, "sources": request.held_out_sources}
        held_out = chunks_of_lists(request.held_out_n_best, rows, beside)
        chunks += [(count, {**chunk, "held_out": True}) for count, chunk in held_out]
    return Plan("tune", request.model_dump(exclude=missing_fields), chunks)


def work_tuning(context: Context, chunk: Json) -> Output:
    """Measure by a checkpoint, which takes long. Measuring by other metrics may need all references, so lists wait for the end."""
    name = context.params["metric"]
    if "statistics" in chunk:
        rows = [row for hypotheses in chunk["statistics"] for row in hypotheses]
        return {"rows": [], "carry": {**chunk, "statistics": rows}}
    if not neural_count([name]):
        return {"rows": [], "carry": chunk}
    metric, lists = scoring_metrics(context.engine, [name], chunk.get("sources"))[name], lists_of_chunk(chunk)
    statistics = metric.prepare(list(chunk["references"].values())).statistics(lists.texts, lists.segments)
    return {"rows": [], "carry": {**chunk, "statistics": statistics.tolist()}}


def finish_tuning(context: Context, outputs: Iterable[Output]) -> TuneAnswer:
    """Measure all hypotheses, seek weights once a seed, and say what they changed."""
    params = context.params
    context.report("measuring", 0.0)
    chunks = [output["carry"] for output in outputs]
    dev = _gathered([chunk for chunk in chunks if not chunk.get("held_out")])
    held_out_chunks = [chunk for chunk in chunks if chunk.get("held_out")]
    # Checkpoints have measured the chunks, so no metric looks at sources here.
    (metric,) = scoring_metrics(context.engine, [params["metric"]], ()).values()
    pool = pool_of(dev.lists, metric, list(dev.references.values()), dev.statistics)
    zero = params["missing_weights"] == "zero"
    held_out = _held_out(pool, _gathered(held_out_chunks), zero) if held_out_chunks else None
    start = _start(params["start"], pool, zero)
    references = [_at(texts, pool) for texts in dev.references.values()]
    sources = None if dev.sources is None else _at(dev.sources, pool)
    data = TuningData(pool, start, sources, references, dev.lists.texts)
    seeds = range(params["seed"], params["seed"] + params["runs"])
    journal = _CurveJournal(context)
    tuned_runs = tune(
        data, params["method"], seeds, held_out, Share(context, MEASURED_SHARE, TUNED_SHARE), journal.step, params["take"]
    )
    journal.publish()
    context.report("intervals", TUNED_SHARE)
    return tune_answer(tuned_runs, start, pool, dev, params["metric"], held_out)


def _gathered(chunks: list[Json]) -> Lists:
    names = list(chunks[0]["references"])
    sources = None if "sources" not in chunks[0] else [text for chunk in chunks for text in chunk["sources"]]
    return Lists(
        NBestLists.joined([lists_of_chunk(chunk) for chunk in chunks]),
        {name: [text for chunk in chunks for text in chunk["references"][name]] for name in names},
        sources,
        np.array([row for chunk in chunks for row in chunk["statistics"]], np.float64) if "statistics" in chunks[0] else None,
    )


def _held_out(pool: TuningPool, held_out_lists: Lists, zero_missing: bool) -> TuningPool:
    """Held-out lists with the columns of the tuning lists."""
    try:
        return in_columns_of(
            pool_of(held_out_lists.lists, pool.metric, list(held_out_lists.references.values()), held_out_lists.statistics),
            pool,
            zero_missing,
        )
    except InputError as error:
        raise _held_out_error(error) from None


def _held_out_error(error: InputError) -> InputError:
    """The error at the fields of held-out lists."""
    place, *rest = error.where or ("n_best",)
    place = "n_best" if place == "weights" else place
    return InputError(error.code, error.detail, (f"{HELD_OUT}{place}", *rest))


def _start(start_fields: Json | None, pool: TuningPool, zero_missing: bool) -> Float64s:
    """The weights to begin with, which must be of these features; equal ones unless there are any."""
    if start_fields is None:
        return np.ones(len(pool.names))
    try:
        return FeatureWeights({name: tuple(row) for name, row in start_fields.items()}).of_columns(pool.names, zero_missing)
    except InputError as error:
        raise InputError(error.code, error.detail, ("start", *error.where[1:])) from None


def _at(texts: Any, pool: TuningPool) -> list[str]:
    """The texts of the segments that have lists."""
    return [texts[segment] for segment in pool.segments.tolist()]


class _CurveJournal:
    """Publishes the curves so far, as often as somebody could look."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._curves: dict[int, list[IterationScore]] = {}
        self._next = time.monotonic()

    def step(self, seed: int, step: IterationScore) -> None:
        """A point of a run's curve."""
        self._curves.setdefault(seed, []).append(step)
        if time.monotonic() >= self._next:
            self.publish()

    def publish(self) -> None:
        """Let others see all points."""
        self._next = time.monotonic() + PUBLISHING_SECONDS
        self._context.publish(CURVE, [{"seed": seed, "curve": curve_of(steps)} for seed, steps in self._curves.items()])
