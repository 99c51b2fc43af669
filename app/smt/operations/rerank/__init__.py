"""N-best lists in the order of weights, with more features than the decoder had, and what that changed."""

from app.operations.operation import Operation, Steps
from app.smt.operations.parts.n_best import amount_of_chunk, amount_of_hypotheses
from app.smt.operations.rerank.answer import RerankAnswer, answer_reranking
from app.smt.operations.rerank.features import listed_with_features
from app.smt.operations.rerank.request import (
    RerankRequest,
    check_reranking,
    encoding_of_reranking,
    read_reranking_files,
    work_of_reranking,
)
from app.smt.operations.rerank.steps import finish_reranking, split_reranking, work_reranking

__all__ = ["RerankAnswer", "RerankRequest", "listed_with_features", "operation"]

operation = Operation[RerankRequest, RerankAnswer](
    name="rerank",
    summary="N-best lists in the order of weights, with features computed for every hypothesis.",
    request=RerankRequest,
    answer_type=RerankAnswer,
    check=check_reranking,
    answer=answer_reranking,
    tag="ranking",
    profiled=True,
    read_files=read_reranking_files,
    steps=Steps(split_reranking, work_reranking, finish_reranking, amount=amount_of_chunk),
    work=work_of_reranking,
    encoding=encoding_of_reranking,
    amount=lambda request: amount_of_hypotheses(request.n_best),
)
