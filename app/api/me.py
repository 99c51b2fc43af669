"""GET /v1/me: what the caller's key is for."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from app.api.problems import PROBLEM_RESPONSES
from app.service.caller import AccessHere

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["service"], responses=PROBLEM_RESPONSES)


class Me(TypedDict):
    """A caller; names are empty while nobody needs a key, `pairs` and `models` null where they are all."""

    name: str
    owner: str
    scopes: list[str]
    pairs: list[str] | None
    models: list[str] | None


@router.get("/me", response_model=Me)
async def me(access: AccessHere) -> Response:
    """Who the key belongs to, and what it is for."""
    caller = access.caller
    pairs, models = (None if names is None else sorted(names) for names in (caller.pairs, caller.models))
    answer: Me = {"name": caller.name, "owner": caller.owner, "scopes": sorted(caller.scopes), "pairs": pairs, "models": models}
    return JSONResponse(answer)
