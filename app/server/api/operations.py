"""POST /v1/NAME for every operation that answers at once."""

from math import inf
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response

from app.operations.catalogue import OPERATIONS
from app.operations.operation import Operation
from app.server.api.bodies.json_bodies import JsonRoute, as_read, validated
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.api.rate_limits import rate_limit_fields
from app.server.service.access import RequestAccess
from app.server.service.watching import watched

__all__ = ["router"]

PREFER: Final = "`wait=SECONDS` (RFC 7240): how long an answer is waited for; where no profile is named, `fast` answers"
Prefer = Annotated[str | None, Header(max_length=200, description=PREFER)]

router = APIRouter(responses=PROBLEM_RESPONSES, route_class=JsonRoute)


def _add(operation: Operation[Any, Any]) -> None:
    async def endpoint(body: Any, request: Request, access: RequestAccess, prefer: Prefer = None) -> Response:
        limits = access.limits
        content = await validated(request, operation.request, body, max(limits.segments, limits.scored))
        with watched(operation, content):
            seconds = _seconds(prefer)
            answer = await access.answer(operation, content, request.is_disconnected, seconds)
        applied_preference = {} if seconds == inf else {"Preference-Applied": f"wait={seconds:g}"}
        return JSONResponse(answer, headers={**rate_limit_fields(access.standing), **applied_preference})

    endpoint.__annotations__["body"] = as_read(operation.request)
    endpoint.scope = operation.scope  # type: ignore[attr-defined]
    router.add_api_route(
        operation.path,
        endpoint,
        methods=["POST"],
        name=operation.name,
        operation_id=operation.id,
        tags=[operation.tag],
        description=operation.summary,
        response_model=operation.answer_type,
    )


def _seconds(prefer: str | None) -> float:
    """Seconds that the caller waits for an answer; infinite without a preference. Unknown preferences are ignored."""
    for preference in (prefer or "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        digits = value.strip().strip('"').replace(".", "", 1)
        if name.strip().lower() == "wait" and digits.isascii() and digits.isdigit() and float(digits):
            return float(value.strip().strip('"'))
    return inf


for entry in OPERATIONS.values():
    # No request waits for a schema.
    entry.request.build()
    if entry.answer is not None:
        _add(entry)
