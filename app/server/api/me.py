"""GET /v1/me: permissions and limits of the caller's key; GET /v1/me/usage: its usage."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service.access import RequestAccess
from app.server.service.usage import Me, UsageAnswer, me_of, usage_of

__all__ = ["router"]

router = APIRouter(prefix="/v1/me", tags=["service"], responses=PROBLEM_RESPONSES)


@router.get("", response_model=Me)
async def get_me(access: RequestAccess) -> Response:
    """Describe the key: owner, scopes and limits."""
    return JSONResponse(me_of(access))


@router.get("/usage", response_model=UsageAnswer)
def get_my_usage(
    access: RequestAccess,
    days: Annotated[int, Query(ge=1, le=366, description="Number of days, with today")] = 31,
    months: Annotated[int, Query(ge=1, le=60, description="Number of months, with this one")] = 12,
    owner: Annotated[str | None, Query(max_length=100, description="Somebody else, for administrators")] = None,
) -> Response:
    """Usage of the key's owner by day, month and key, and stored bytes; for administrators the usage of all owners."""
    return JSONResponse(usage_of(access, days, months, owner))
