"""POST /v1/compare and POST /v1/correlate."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.analyses import comparison_answer, correlation_answer, word_order_answer
from app.api.access import ServiceHere
from app.api.checking import check_count, check_lists
from app.api.problems import PROBLEM_RESPONSES
from app.api.scoring_schemas import CompareRequest, CorrelateRequest, WordOrderRequest
from app.api.unique_names import UniqueNamesRoute

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["analysis"], responses=PROBLEM_RESPONSES, route_class=UniqueNamesRoute)


@router.post("/compare")
def compare(body: CompareRequest, service: ServiceHere) -> Response:
    """Where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    size = check_lists("system", {"system": body.system, "baseline": body.baseline}, service.settings)
    size += check_lists("references", body.references, service.settings)
    check_count(size, service.settings.max_score_segments, ("system",))
    metrics = service.engine.metrics(body.metrics)
    return JSONResponse(comparison_answer(metrics, body.baseline, body.system, body.references, body.tokenise, body.most))


@router.post("/correlate")
def correlate(body: CorrelateRequest) -> Response:
    """How well metrics' scores agree with people's."""
    return JSONResponse(correlation_answer(body.human, body.metrics, body.groups, body.agreements, body.tests))


@router.post("/word-order")
def word_order(body: WordOrderRequest, service: ServiceHere) -> Response:
    """Similarities of word order, for alignments made elsewhere."""
    check_count(len(body.segments), service.settings.max_segments, ("segments",))
    rows = [(each.alignment, each.hypothesis_words, each.reference_words) for each in body.segments]
    return JSONResponse(word_order_answer(rows, body.beta, body.alpha))
