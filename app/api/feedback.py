"""POST /v1/feedback, GET /v1/feedback: post-edits and scores of users, from which the next version of a model learns."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.api.problems import PROBLEM_RESPONSES
from app.operations.feedback import FeedbackAnswer, FeedbackList, FeedbackRequest, count_feedback
from app.service.caller import AccessHere

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["feedback"], responses=PROBLEM_RESPONSES)


@router.post("/feedback", status_code=202, response_model=FeedbackAnswer)
def give_feedback(body: FeedbackRequest, access: AccessHere) -> Response:
    """Keep judgements of users; a post-edit counts as HTER, computed by TER, a score as the model's label."""
    return JSONResponse(access.give_feedback(body), status_code=202)


@router.get("/feedback", response_model=FeedbackList)
def feedback(access: AccessHere) -> Response:
    """How much feedback there is per language pair and label."""
    return JSONResponse(count_feedback(access.feedback))
