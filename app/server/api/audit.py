"""GET /v1/audit: the record of actions, for administrators."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from typing_extensions import TypedDict

from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service import Service
from app.server.service.access import RequestAccess
from app.server.store import ADMIN, AuditEntry, AuditFilter

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["service"], responses=PROBLEM_RESPONSES)
Name = Annotated[str | None, Query(max_length=200)]
# No clock says such times, and nothing is that old.
EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


class AuditRow(TypedDict):
    """An action with its actor and object; `hash` is the SHA-256 of this row and of the row before."""

    number: int
    time: Annotated[str, Field(description="ISO 8601, UTC")]
    actor: Annotated[str, Field(description="Name of the key, or what else acted")]
    owner: str
    request: Annotated[str, Field(description="Id of the request")]
    address: str
    action: str
    thing: str
    id: str
    detail: dict[str, Any]
    hash: str


class AuditAnswer(TypedDict):
    """Rows, the newest first."""

    audit: list[AuditRow]
    next: Annotated[int | None, Field(description="Value of `before` for the next page; null on the last")]


@router.get("/audit", response_model=AuditAnswer)
def list_audit_entries(
    request: Request,
    access: RequestAccess,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="Number of the last row of the page before")] = None,
    since: Annotated[datetime | None, Query(description="Rows from this time on")] = None,
    until: Annotated[datetime | None, Query(description="Rows before this time")] = None,
    actor: Name = None,
    owner: Name = None,
    action: Name = None,
    thing: Name = None,
    id: Name = None,
) -> Response:
    """Record of actions, the newest first: creations, changes, promotions, deletions, and views of others' data; without texts."""
    access.require(ADMIN)
    service: Service = request.app.state.service
    entries_filter = AuditFilter(_seconds(since), _seconds(until), actor, owner, action, thing, id)
    rows = service.auditing.log.list(entries_filter, limit + 1, before)
    following = rows[limit - 1].number if len(rows) > limit else None
    answer = {"audit": [_row(entry) for entry in rows[:limit]], "next": following}
    return JSONResponse(answer, headers={"Cache-Control": "private, no-store"})


def _seconds(moment: datetime | None) -> float | None:
    if moment is None:
        return None
    return min(max(moment.replace(tzinfo=moment.tzinfo or UTC), EARLIEST), LATEST).timestamp()


def _row(entry: AuditEntry) -> dict[str, Any]:
    return {**asdict(entry), "time": datetime.fromtimestamp(entry.time, UTC).isoformat(timespec="milliseconds")}
