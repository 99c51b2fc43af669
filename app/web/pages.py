"""Routes of the pages, their files, and the headers that keep them safe."""

from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import InputError
from app.jobs.learning_curve import read_curve
from app.planning.bands import DEFAULT_BANDS
from app.predictors import LABELS
from app.predictors.labels import label_named
from app.service import Service
from app.text import language_name
from app.web import model_pages, plots, report
from app.web.charts import histogram_svg
from app.web.rendering import page

__all__ = ["install_pages"]

HERE: Final = Path(__file__).parent
# What the page of scores offers by name; others are typed.
SCORED_BY: Final = ("bleu", "chrf", "chrf++", "ter", "simpbleu:PABC4", "beer")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class SafeHeaders:
    """ASGI middleware: every answer carries a strict content security policy and no sniffing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the answer's start."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
            await send(message)

        await self.app(scope, receive, with_headers)


router = APIRouter(include_in_schema=False)


@router.get("/")
def estimate(request: Request) -> Response:
    """The translator's form."""
    service: Service = request.app.state.service
    if not service.ready:
        return page(request, "loading.html", failed=bool(service.failure))
    engine = service.engine
    cards = [model.card for model in engine.models.values()]
    labels = [label for name, label in LABELS.items() if any(card.label == name for card in cards)]
    models = [
        {
            "id": card.id,
            "pair": card.pair,
            "label": card.label,
            "pearson": f"{float(card.accuracy['pearson']):.2f}",
            "needs_log_probs": "glassbox" in card.feature_set,
        }
        for card in cards
    ]
    return page(
        request,
        "estimate.html",
        pairs=_pairs(service),
        bands=DEFAULT_BANDS,
        labels=labels,
        models=models,
        limit=service.settings.max_upload_bytes,
    )


@router.get("/rank")
@router.get("/score")
@router.get("/jobs")
def plain(request: Request) -> Response:
    """Pages that a script fills: ranking, scoring, and the list of jobs."""
    service: Service = request.app.state.service
    if not service.ready:
        return page(request, "loading.html", failed=bool(service.failure))
    name = request.url.path.removeprefix("/")
    return page(request, f"{name}.html", pairs=_pairs(service), metrics=SCORED_BY, limit=service.settings.max_score_segments)


@router.get("/jobs/{id}/curve.json")
def learning_curve(id: str, request: Request) -> Response:
    """The points of a training job's learning curve so far."""
    service: Service = request.app.state.service
    job = service.store.get(id)
    return JSONResponse({"points": read_curve(service.settings.trained_models_dir, job.id)}, headers={"Cache-Control": "no-store"})


def _pairs(service: Service) -> list[dict[str, str]]:
    return [
        {"source": p.source, "target": p.target, "name": f"{language_name(p.source)} → {language_name(p.target)}"}
        for p in service.engine.resources.pairs
    ]


@router.get("/docs")
def documentation(request: Request) -> Response:
    """The HTTP calls, from the OpenAPI document."""
    calls: list[dict[str, Any]] = []
    schema = request.app.openapi()
    for path, methods in schema["paths"].items():
        for method, call in methods.items():
            fields = _fields(schema, call)
            calls.append({"method": method.upper(), "path": path, "text": call.get("description", ""), "fields": fields})
    return page(request, "docs.html", calls=calls)


def _fields(schema: dict[str, Any], call: dict[str, Any]) -> list[dict[str, str]]:
    content = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = content.get("$ref", "").rpartition("/")[2]
    body = schema.get("components", {}).get("schemas", {}).get(name, content)
    required = set(body.get("required", ()))
    return [
        {
            "name": field,
            "note": "required" if field in required else f"default {about['default']!r}" if "default" in about else "optional",
            "text": about.get("description", ""),
        }
        for field, about in body.get("properties", {}).items()
    ]


@router.get("/jobs/{id}/histogram.svg")
def histogram(id: str, request: Request) -> Response:
    """The distribution of a finished quality job's scores."""
    service: Service = request.app.state.service
    job = service.store.get(id)
    if job.kind != "quality" or job.state != "succeeded":
        raise InputError("job-not-finished", "only a quality job that succeeded has a histogram", ("id",))
    scores = [row["score"] for output in service.store.outputs(id) for row in output["rows"]]
    svg = histogram_svg(scores, label_named(job.params["label"]))
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


def install_pages(app: FastAPI) -> None:
    """Add pages, static files and safe headers."""
    app.add_middleware(SafeHeaders)
    app.include_router(router)
    app.include_router(model_pages.router)
    app.include_router(plots.router)
    app.include_router(report.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
