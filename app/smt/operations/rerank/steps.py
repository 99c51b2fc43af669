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
    made = reranked(engine, params, lists_of_chunk(chunk), sources, context)
    measured = measured_in(engine, params, made, references)
    ranks = made.ranks[made.chosen]
    carry: Json = {
        "lists": len(made.lists),
        "changed": int((ranks > 0).sum()),
        "computed": made.computed,
        "unused": made.unused,
        "ranks": int(ranks.sum()),
        "filled": len(ranks),
    }
    if measured is not None:
        carry["measured"] = {"first": measured.first.tolist(), "chosen": measured.chosen.tolist()}
    return {"rows": [dict(row) for row in segments_of(made, params, sources, references, measured)], "carry": carry}


def finish_reranking(context: Context, outputs: Iterable[Output]) -> RerankSummary:
    """All lists together."""
    lists = changed = ranks = filled = 0
    computed: list[str] = []
    unused: list[str] = []
    statistics: dict[str, list[list[float]]] = {"first": [], "chosen": []}
    for output in outputs:
        part = output["carry"]
        lists, changed = lists + part["lists"], changed + part["changed"]
        ranks, filled = ranks + part["ranks"], filled + part["filled"]
        computed, unused = part["computed"], part["unused"]
        for name, rows in part.get("measured", {}).items():
            statistics[name] += rows
    summary: RerankSummary = {
        "lists": lists,
        "changed": changed,
        "mean_rank": rounded(ranks / max(filled, 1)),
        "computed": computed,
        "unused": unused,
    }
    # Jobs of earlier versions have no such parameters.
    count = context.params.get("reference_count")
    if count is not None:
        (metric,) = context.engine.metrics([metric_in(context.params)]).values()
        first, chosen = (np.array(statistics[name], np.float64) for name in ("first", "chosen"))
        summary["measured"] = measured_answer(Measured(metric, first, chosen), metric_in(context.params), count)
    return summary
