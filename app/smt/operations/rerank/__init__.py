"""N-best lists in the order of weights, with more features than the decoder had, and what that changed."""

from app.engine import Engine
from app.operations.operation import Operation, Steps
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.network_work import work_of_networks
from app.smt.operations.parts.n_best.chunks import amount_of_chunk
from app.smt.operations.parts.n_best.fields import amount_of_hypotheses
from app.smt.operations.rerank.answer import RerankAnswer, answer_reranking
from app.smt.operations.rerank.features import listed_with_features
from app.smt.operations.rerank.request import RerankRequest, check_reranking, read_pairs, read_reranking_files, work_of_reranking
from app.smt.operations.rerank.steps import finish_reranking, split_reranking, work_reranking

__all__ = ["RerankAnswer", "RerankRequest", "listed_with_features", "operation"]


def _cost(engine: Engine, request: RerankRequest) -> Cost:
    model_work = work_of_networks(engine, request, read_pairs(request))
    return Cost(amount_of_hypotheses(request.n_best), work_of_reranking(request), model_work)


operation = Operation[RerankRequest, RerankAnswer](
    name="rerank",
    id="rerankLists",
    summary="N-best lists in the order of weights, with features computed for every hypothesis.",
    request=RerankRequest,
    answer_type=RerankAnswer,
    check=check_reranking,
    answer=answer_reranking,
    tag="ranking",
    profiled=True,
    read_files=read_reranking_files,
    steps=Steps(split_reranking, work_reranking, finish_reranking, amount=amount_of_chunk),
    cost=_cost,
)
