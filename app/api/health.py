"""GET /health/live, /health/ready and /metrics."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from app.api.access import ServiceHere
from app.api.schemas import Status
from app.api.telemetry import Telemetry
from app.errors import InputError

__all__ = ["router"]

router = APIRouter(tags=["service"])


@router.get("/health/live", response_model=Status)
async def live() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/health/ready", response_model=Status)
async def ready(service: ServiceHere) -> dict[str, str]:
    """Everything is loaded."""
    if not service.ready:
        raise InputError("not-ready", (service.failure and "loading failed; see the log") or "resources are being loaded")
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request, service: ServiceHere) -> Response:
    """Counters and gauges as Prometheus text."""
    telemetry: Telemetry = request.app.state.telemetry
    telemetry.observe(service)
    return Response(generate_latest(telemetry.registry), media_type=CONTENT_TYPE_LATEST)
