"""/v1/jobs/{id}/corrections: texts in place of a job's translations."""

from typing import Annotated, Final

import anyio.to_thread
from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response

from app.operations.judgements.corrections import CorrectionAnswer, CorrectionPage, CorrectionText
from app.server.api.bodies.json_bodies import JsonRoute
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service.access import RequestAccess

__all__ = ["router"]

router = APIRouter(prefix="/v1/jobs/{id}/corrections", tags=["jobs"], responses=PROBLEM_RESPONSES, route_class=JsonRoute)
# Texts of users: nothing on the way may keep them.
PRIVATE: Final = {"Cache-Control": "private, no-store"}
# One number has one spelling, so that one segment has one address.
NUMBER: Final = "^[1-9][0-9]{0,8}$"
Segment = Annotated[str, Path(pattern=NUMBER, description="Number of the segment in the result, from 1")]


@router.get("", response_model=CorrectionPage)
def list_corrections(
    id: str,
    access: RequestAccess,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Annotated[str | None, Query(pattern=NUMBER, description="Segment of the last correction of the page before")] = None,
) -> Response:
    """Corrections in the order of segments; `next` is the value of `after` for the next page."""
    return JSONResponse(access.corrections(id).page(limit, int(after or 0)), headers=PRIVATE)


@router.put("/{segment}", response_model=CorrectionAnswer)
async def put_correction(id: str, segment: Segment, body: CorrectionText, access: RequestAccess) -> Response:
    """Correct a translation; 409 with the `current` correction if another change came first."""
    return JSONResponse(await access.correct(id, int(segment), body), headers=PRIVATE)


@router.delete("/{segment}", response_model=CorrectionAnswer)
async def take_back_correction(
    id: str,
    segment: Segment,
    access: RequestAccess,
    revision: Annotated[str, Query(pattern=NUMBER, description="Revision of the correction that is taken back")],
) -> Response:
    """Undo a correction, so that the original translation stands; 409 if another change came first."""
    answer = await anyio.to_thread.run_sync(lambda: access.corrections(id).take_back(int(segment), int(revision)))
    return JSONResponse(answer, headers=PRIVATE)
