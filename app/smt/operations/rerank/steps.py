"""A reranking as a job: chunks of lists, whose statistics sum up."""

from collections.abc import Iterable

from app.errors import InputError
from app.operations.operation import Context, Json, Output, Plan, Planning
from app.smt.operations.parts.n_best.chunks import chunks_of_lists, lists_of_chunk
from app.smt.operations.rerank.answer import RerankSummary, params_of, rerank_part, summarise
from app.smt.operations.rerank.measuring import metric_in
from app.smt.operations.rerank.order import metric_of
from app.smt.operations.rerank.request import RerankRequest

__all__ = ["finish_reranking", "split_reranking", "work_reranking"]


def split_reranking(planning: Planning, request: RerankRequest) -> Plan:
    """Plan the job; InputError for a missing metric, or one whose statistics do not add up over segments."""
    params = params_of(request)
    if request.mbr is not None:
        _check_metric(planning, request.mbr, "mbr")
    if request.references is not None:
        _check_metric(planning, metric_in(params), "metric")
    columns = {"sources": request.sources, "references": request.references}
    return Plan("rerank", params, chunks_of_lists(request.n_best, planning.chunk_rows, columns))


def _check_metric(planning: Planning, name: str, field: str) -> None:
    """InputError for a missing metric, or for one whose statistics do not add up over parts of the lists."""
    metric = metric_of(planning.engine, name, field)
    if metric.needs_all_references:
        detail = f"{metric.name} weighs matches by all references at once, and a job works on parts of them; use POST /v1/rerank"
        raise InputError("invalid-job", detail, ("params", field))


def work_reranking(context: Context, chunk: Json) -> Output:
    """The rows of some lists, and the statistics of their summary."""
    lists = lists_of_chunk(chunk)
    return rerank_part(context.engine, context.params, lists, chunk.get("sources"), chunk.get("references"), context)


def finish_reranking(context: Context, outputs: Iterable[Output]) -> RerankSummary:
    """Summary of all lists."""
    return summarise(context.engine, context.params, outputs)
