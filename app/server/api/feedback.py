"""/v1/feedback: post-edits and scores of users, from which the next version of a model learns; and each of them by itself."""

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from app.operations.judgements import feedback
from app.operations.judgements.feedback import FeedbackAnswer, FeedbackList, FeedbackRequest
from app.operations.judgements.records import CorrectionRequest, FeedbackFilter, FeedbackPage, KeptFeedback
from app.operations.parts.names import LabelName, PairName
from app.server.api.bodies.json_bodies import JsonRoute, as_read, validated
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.jobs import Formulas
from app.server.service import EXPORTS
from app.server.service.access import RequestAccess

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["feedback"], responses=PROBLEM_RESPONSES, route_class=JsonRoute)
# Texts of users: nothing on the way may keep them.
PRIVATE: Final = {"Cache-Control": "private, no-store"}


def _filter_of(
    pair: Annotated[PairName | None, Query(description="Language pair, as ro-en")] = None,
    label: LabelName | None = None,
    model: Annotated[str | None, Query(max_length=100, description="The model that was answered to")] = None,
    origin: Annotated[str | None, Query(max_length=100, description="Origin of the feedback")] = None,
    since: Annotated[datetime | None, Query(description="Time of receipt (ISO 8601, UTC by default), or later")] = None,
) -> FeedbackFilter:
    moment = None if since is None else (since if since.tzinfo else since.replace(tzinfo=UTC)).timestamp()
    return FeedbackFilter(pair, label, model, origin, moment)


Filter = Annotated[FeedbackFilter, Depends(_filter_of)]


@router.post("/feedback", status_code=202, response_model=FeedbackAnswer)
async def give_feedback(body: as_read(FeedbackRequest), request: Request, access: RequestAccess) -> Response:  # type: ignore[valid-type]
    """Keep judgements of users; a post-edit counts as HTER, computed by TER, a score as the model's label."""
    content = await validated(request, FeedbackRequest, body, access.limits.segments)
    return JSONResponse(await access.give_feedback(content), status_code=202)


@router.get("/feedback", response_model=FeedbackList)
def count_feedback(access: RequestAccess) -> Response:
    """Count feedback per language pair and label."""
    access.require("feedback")
    return JSONResponse(feedback.count_feedback(access.feedback, access.caller.answering_pairs))


@router.get("/feedback/items", response_model=FeedbackPage)
def list_feedback(
    access: RequestAccess,
    wanted: Filter,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$", description="Id of the last judgement of the page before")] = None,
) -> Response:
    """Judgements, the newest first; `next` is what to send as `after` for the page behind this one."""
    return JSONResponse(access.judgements.page(wanted, limit, after), headers=PRIVATE)


@router.get(
    "/feedback/export",
    response_class=StreamingResponse,
    responses={200: {"content": {form.partition(";")[0]: {"schema": {"type": "string"}} for form in EXPORTS.values()}}},
)
def export_feedback(
    access: RequestAccess,
    wanted: Filter,
    format: Literal["jsonl", "tsv"] = "jsonl",
    formulas: Annotated[
        Formulas, Query(description="Cells of a TSV table that a spreadsheet would run: an apostrophe before them, or as they are")
    ] = "escape",
) -> Response:
    """Export judgements with their side information, one per line, the newest first."""
    headers = {"Content-Disposition": f'attachment; filename="assay-feedback.{format}"', **PRIVATE}
    return StreamingResponse(access.judgements.export(wanted, format, formulas), 200, headers, EXPORTS[format])


@router.get("/feedback/{id}", response_model=KeptFeedback)
def get_feedback(id: str, access: RequestAccess) -> Response:
    """One judgement, with the models that have learnt from it."""
    return JSONResponse(access.judgements.one(id), headers=PRIVATE)


@router.patch("/feedback/{id}", response_model=KeptFeedback)
async def correct_feedback(id: str, body: CorrectionRequest, access: RequestAccess) -> Response:
    """Put another post-edit, from which HTER is computed anew, or another score in its place."""
    return JSONResponse(await access.correct_feedback(id, body), headers=PRIVATE)


@router.delete("/feedback/{id}", response_model=KeptFeedback)
def delete_feedback(id: str, access: RequestAccess) -> Response:
    """Delete a judgement permanently; the answer has its content, and the models that learnt from it."""
    return JSONResponse(access.judgements.delete(id), headers=PRIVATE)
