"""POST /v1/feedback, GET /v1/feedback: post-edits and scores of users, from which the next version of a model learns."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from app.api.json_bodies import JsonRoute, as_read, validated
from app.api.problems import PROBLEM_RESPONSES
from app.operations.feedback import FeedbackAnswer, FeedbackList, FeedbackRequest, count_feedback
from app.service.caller import AccessHere

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["feedback"], responses=PROBLEM_RESPONSES, route_class=JsonRoute)


@router.post("/feedback", status_code=202, response_model=FeedbackAnswer)
async def give_feedback(body: as_read(FeedbackRequest), request: Request, access: AccessHere) -> Response:  # type: ignore[valid-type]
    """Keep judgements of users; a post-edit counts as HTER, computed by TER, a score as the model's label."""
    content = await validated(request, FeedbackRequest, body, access.limits.segments)
    return JSONResponse(await run_in_threadpool(access.give_feedback, content), status_code=202)


@router.get("/feedback", response_model=FeedbackList)
def feedback(access: AccessHere) -> Response:
    """How much feedback there is per language pair and label."""
    access.require("feedback")
    return JSONResponse(count_feedback(access.feedback))
