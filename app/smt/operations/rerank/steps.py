"""A reranking as a job: chunks of lists, whose statistics sum up."""

from collections.abc import Iterable

import numpy as np

from app.errors import InputError
from app.operations.operation import Context, Json, Output, Plan, Planning
from app.operations.parts.rounding import rounded
from app.smt.operations.parts.n_best import chunks_of_lists, lists_of_chunk
from app.smt.operations.rerank.answer import RerankSummary, measured_in, params_of, segments_of
from app.smt.operations.rerank.measuring import Measured, measured_answer, metric_in
from app.smt.operations.rerank.order import metric_of, reranked
from app.smt.operations.rerank.request import RerankRequest

__all__ = ["finish_reranking", "split_reranking", "work_reranking"]


def split_reranking(planning: Planning, request: RerankRequest) -> Plan:
    """Plan the job; a metric must be there, and sum up over segments that do not know of each other."""
    params = params_of(request)
    if request.mbr is not None:
        _check_metric(planning, request.mbr, "mbr")
    if request.references is not None:
        params["reference_count"] = len(request.references)
        _check_metric(planning, metric_in(params), "metric")
    columns = {"sources": request.sources, "references": request.references}
    return Plan("rerank", params, chunks_of_lists(request.n_best, planning.chunk_rows, columns))


def _check_metric(planning: Planning, name: str, field: str) -> None:
    """InputError where it is not there, or would score parts of the lists otherwise than all of them."""
    metric = metric_of(planning.engine, name, field)
    if metric.needs_all_references:
        detail = f"{metric.name} weighs matches by all references at once, and a job works on parts of them; use POST /v1/rerank"
        raise InputError("invalid-job", detail, ("params", field))


def work_reranking(context: Context, chunk: Json) -> Output:
    """The rows of some lists, and what their summary needs."""
    engine, params, sources, references = context.engine, context.params, chunk.get("sources"), chunk.get("references")
    result = reranked(engine, params, lists_of_chunk(chunk), sources, context)
    gains = measured_in(engine, params, result, references)
    ranks = result.ranks[result.chosen]
    carry: Json = {
        "lists": len(result.lists),
        "changed": int((ranks > 0).sum()),
        "computed": result.computed,
        "unused": result.unused,
        "ranks": int(ranks.sum()),
        "filled": len(ranks),
    }
    if gains is not None:
        carry["measured"] = {"first": gains.first.tolist(), "chosen": gains.chosen.tolist()}
    return {"rows": [dict(row) for row in segments_of(result, params, sources, references, gains)], "carry": carry}


def finish_reranking(context: Context, outputs: Iterable[Output]) -> RerankSummary:
    """All lists together."""
    lists = changed_count = ranks = filled_count = 0
    computed_names: list[str] = []
    unused_names: list[str] = []
    statistics: dict[str, list[list[float]]] = {"first": [], "chosen": []}
    for output in outputs:
        part = output["carry"]
        lists, changed_count = lists + part["lists"], changed_count + part["changed"]
        ranks, filled_count = ranks + part["ranks"], filled_count + part["filled"]
        computed_names, unused_names = part["computed"], part["unused"]
        for name, rows in part.get("measured", {}).items():
            statistics[name] += rows
    summary: RerankSummary = {
        "lists": lists,
        "changed": changed_count,
        "mean_rank": rounded(ranks / max(filled_count, 1)),
        "computed": computed_names,
        "unused": unused_names,
    }
    # Jobs of earlier versions have no such parameters.
    count = context.params.get("reference_count")
    if count is not None:
        (metric,) = context.engine.metrics([metric_in(context.params)]).values()
        first, best = (np.array(statistics[name], np.float64) for name in ("first", "chosen"))
        summary["measured"] = measured_answer(Measured(metric, first, best), metric_in(context.params), count)
    return summary
