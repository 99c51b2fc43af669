"""POST /v1/NAME for every operation that answers at once."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.bodies.json_bodies import JsonRoute, as_read, validated
from app.api.problems import PROBLEM_RESPONSES
from app.api.rate_limits import rate_limit_fields
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Operation
from app.service.caller import AccessHere
from app.service.watching import watched

__all__ = ["router"]

router = APIRouter(responses=PROBLEM_RESPONSES, route_class=JsonRoute)


def _add(operation: Operation[Any, Any]) -> None:
    async def endpoint(body: Any, request: Request, access: AccessHere) -> Response:
        limits = access.limits
        content = await validated(request, operation.request, body, max(limits.segments, limits.scored))
        with watched(operation, content):
            answer = await access.answer(operation, content, request.is_disconnected)
        return JSONResponse(answer, headers=rate_limit_fields(access.standing))

    endpoint.__annotations__["body"] = as_read(operation.request)
    endpoint.scope = operation.scope  # type: ignore[attr-defined]
    router.add_api_route(
        operation.path,
        endpoint,
        methods=["POST"],
        name=operation.name,
        tags=[operation.tag],
        description=operation.summary,
        response_model=operation.answer_type,
    )


for entry in OPERATIONS.values():
    if entry.answer is not None:
        _add(entry)
