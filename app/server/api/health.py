"""GET /health/live, /health/ready and /metrics."""

import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from typing_extensions import TypedDict

from app.errors import InputError
from app.server.api.middleware.telemetry import Telemetry
from app.server.service.access import RequestAccess

__all__ = ["router"]

router = APIRouter(tags=["service"])


class Status(TypedDict):
    """State of the service."""

    status: str


@router.get("/health/live", response_model=Status)
async def is_alive() -> Status:
    """The process answers."""
    return {"status": "ok"}


@router.get("/health/ready", response_model=Status)
async def is_ready(access: RequestAccess) -> Status:
    """Ready: resources are loaded, the database answers, and the disks have room."""
    if not access.ready:
        raise InputError("not-ready", "loading failed; see the log" if access.failed else "resources are being loaded")
    await anyio.to_thread.run_sync(access.check_database)
    await anyio.to_thread.run_sync(access.check_room)
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
def get_server_metrics(request: Request, access: RequestAccess) -> Response:
    """Counters and gauges as Prometheus text."""
    if not access.settings.metrics_open:
        access.require("metrics")
    telemetry: Telemetry = request.app.state.telemetry
    return Response(telemetry.text(), media_type=CONTENT_TYPE_LATEST)
