"""DELETE /v1/owners/{name}: a person's right to be forgotten."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service.access import RequestAccess
from app.server.upkeep.forgetting import OwnerDeletion

__all__ = ["router"]

router = APIRouter(prefix="/v1/owners", tags=["owners"], responses=PROBLEM_RESPONSES)


@router.delete("/{name:path}", response_model=OwnerDeletion)
def delete_owner(
    name: str, access: RequestAccess, models: Annotated[bool, Query(description="Delete the models that they trained, too")] = False
) -> Response:
    """Delete all that belongs to an owner: keys, jobs, results, files, feedback; `remains` names the rest."""
    return JSONResponse(access.forget_owner(name, models))
