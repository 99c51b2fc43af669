"""POST /v1/score."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.answers import scoring_answer
from app.api.access import ServiceHere
from app.api.checking import check_count, check_lists
from app.api.problems import PROBLEM_RESPONSES
from app.api.scoring_schemas import ScoreAnswer, ScoreRequest, SignificanceRequest
from app.api.unique_names import UniqueNamesRoute
from app.metrics import Significance

__all__ = ["requested_significance", "router"]

router = APIRouter(prefix="/v1", tags=["score"], responses=PROBLEM_RESPONSES, route_class=UniqueNamesRoute)


def requested_significance(asked: SignificanceRequest | bool | None) -> Significance | None:
    """The settings of resampling; ``true`` means the defaults."""
    if not asked:
        return None
    return Significance() if asked is True else Significance(**asked.model_dump())


@router.post("/score", response_model=ScoreAnswer, response_model_exclude_none=True)
def score(body: ScoreRequest, service: ServiceHere) -> Response:
    """Scores of named systems against named references."""
    size = check_lists("systems", body.systems, service.settings) + check_lists("references", body.references, service.settings)
    check_count(size, service.settings.max_score_segments, ("systems",))
    if body.source is not None:
        check_lists("source", {"source": body.source}, service.settings)
    metrics = service.engine.metrics(body.metrics)
    significance = requested_significance(body.significance)
    return JSONResponse(scoring_answer(metrics, body.systems, body.references, body.segments, significance, body.empty))
