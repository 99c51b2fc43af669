"""Routes of the pages, their static files, and their security headers."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import PROBLEMS, InputError
from app.features import Level, Resource, feature_sets
from app.metrics.registry import NEURAL
from app.operations.review.comment import markdown_review
from app.operations.review.request import MEANINGS, ReviewAnswer
from app.predictors import LABELS, Label
from app.server.explanations import EXPLANATIONS
from app.server.service import Access
from app.server.service.access import RequestAccess
from app.server.web import model_pages, plots, report, scale, signin
from app.server.web.charts import histogram_svg
from app.server.web.help import HELP, HelpSite
from app.server.web.pairs import language_choice
from app.server.web.rendering import page, picture
from app.server.web.scale import QUALITY, Kind, finished_job, label_of_job
from app.server.web.texts import Texts, reader_texts
from app.settings import ROOT
from app.wings import attached

__all__ = ["install_pages"]

PACKAGE: Final = Path(__file__).parent
# Metrics in the list of the page of scores; users may type any other metric.
LISTED_METRICS: Final = ("bleu", "chrf", "chrf++", "ter", "simpbleu:PABC4", "beer")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class SafeHeaders:
    """ASGI middleware: every answer has a strict content security policy and forbids sniffing of its type."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the answer's start."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                # Forms of these pages must send their origin; other sites must not see it.
                headers["Referrer-Policy"] = "same-origin"
            await send(message)

        await self.app(scope, receive, with_headers)


router = APIRouter(include_in_schema=False)


@router.get("/")
def estimate(request: Request, access: RequestAccess) -> Response:
    """The translator's form."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    return page(
        request,
        "estimate.html",
        **language_choice(access),
        labels=_labels(access),
        services=access.translation_services,
        models=_models(access, reader_texts(request)),
        limit=access.settings.max_upload_bytes,
        feedback=access.caller.is_admin or "feedback" in access.caller.scopes,
    )


def _labels(access: Access) -> list[tuple[Label, list[str]]]:
    """Labels of predictors, the usual ones first, with the pairs of these predictors."""
    labels: dict[str, Label] = {}
    pairs: dict[str, set[str]] = {}
    for model in access.engine.models.values():
        labels[model.card.label] = model.label
        pairs.setdefault(model.card.label, set()).add(model.card.pair)
    names = [name for name in (*LABELS, *sorted(labels.keys() - LABELS)) if name in labels]
    return [(labels[name], sorted(pairs[name])) for name in names]


def _models(access: Access, t: Texts) -> list[dict[str, Any]]:
    return [
        {
            "id": model.card.id,
            "pair": model.card.pair,
            "label": model.card.label,
            "pearson": t.number(float(model.card.accuracy["pearson"]), 2),
            "needs_log_probs": model.needs_log_probs,
        }
        for model in access.engine.models.values()
    ]


@router.get("/features")
def features(request: Request, access: RequestAccess) -> Response:
    """Values of features, and their places in the training distribution."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    # Forms have no field for side information.
    sets = [
        name
        for name, chosen_set in feature_sets().items()
        if chosen_set.level is Level.SENTENCE and all(isinstance(need, Resource) for need in chosen_set.needs)
    ]
    models = _models(access, reader_texts(request))
    return page(request, "features.html", **language_choice(access), sets=sets, models=models)


@router.get("/rank")
@router.get("/score")
@router.get("/jobs")
def plain(request: Request, access: RequestAccess) -> Response:
    """Pages with content from a script: ranking, scoring, and the list of jobs."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    name, limit = request.url.path.removeprefix("/"), access.settings.max_score_segments
    checkpoints = access.engine.resources.checkpoints.usable
    neural = {f"{NEURAL}:{name}": checkpoint.card for name, checkpoint in checkpoints.items()}
    return page(request, f"{name}.html", **language_choice(access), metrics=LISTED_METRICS, neural=neural, limit=limit)


@router.get("/review")
def review(request: Request, access: RequestAccess) -> Response:
    """The form for translated files, and their findings."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    return page(request, "review.html", **language_choice(access), meanings=MEANINGS)


@router.post("/review/comment.md")
def review_comment(answer: ReviewAnswer) -> Response:
    """A review as Markdown, from the answer that a page has."""
    return Response(markdown_review(answer), media_type="text/markdown")


@router.get("/jobs/{id}/curve.json")
def learning_curve(id: str, access: RequestAccess) -> Response:
    """The points of a training job's learning curve so far."""
    return JSONResponse({"points": access.published(id, "curve") or []}, headers={"Cache-Control": "no-store"})


@router.get("/docs")
def documentation(request: Request) -> Response:
    """The HTTP calls, from the OpenAPI document."""
    t = reader_texts(request)
    calls: list[dict[str, Any]] = []
    schema = request.app.openapi()
    for path, methods in schema["paths"].items():
        for method, call in methods.items():
            fields = _fields(schema, call, t)
            calls.append({"method": method.upper(), "path": path, "text": call.get("description", ""), "fields": fields})
    return page(request, "docs.html", calls=calls, address=str(request.base_url).rstrip("/"))


@router.get("/problems/{code}")
def problem(code: str, request: Request) -> Response:
    """The cause, an example and the remedy of an error."""
    if code not in PROBLEMS:
        raise InputError("not-found", "no problem has this code; docs/reference/errors.md lists all", ("code",))
    return page(request, "problem.html", code=code, title=PROBLEMS[code], explanation=EXPLANATIONS[code])


def _fields(schema: dict[str, Any], call: dict[str, Any], t: Texts) -> list[dict[str, str]]:
    content = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = content.get("$ref", "").rpartition("/")[2]
    body = schema.get("components", {}).get("schemas", {}).get(name, content)
    required = set(body.get("required", ()))
    return [
        {"name": field, "note": _note(about, field in required, t), "text": about.get("description", "")}
        for field, about in body.get("properties", {}).items()
    ]


def _note(about: dict[str, Any], required: bool, t: Texts) -> str:
    if required:
        return t("required")
    return t("default {value}", value=repr(about["default"])) if "default" in about else t("optional")


@router.get("/jobs/{id}/histogram.svg")
async def histogram(id: str, request: Request, access: RequestAccess, scale: Kind = "own") -> Response:
    """The distribution of a finished quality job's scores."""
    return await access.in_turn(partial(_histogram, id, reader_texts(request), access, scale), request.is_disconnected)


def _histogram(id: str, t: Texts, access: Access, scale: Kind) -> Response:
    job = finished_job(access, id)
    if scale == "quality":
        return picture(histogram_svg([row["confidence"] for row in access.rows(id)], QUALITY, t), t)
    return picture(histogram_svg([row["score"] for row in access.rows(id)], label_of_job(access, job), t), t)


def install_pages(app: FastAPI) -> None:
    """Add pages, static files and safe headers."""
    app.add_middleware(SafeHeaders)
    app.include_router(router)
    app.include_router(model_pages.router)
    app.include_router(plots.router)
    app.include_router(report.router)
    app.include_router(scale.router)
    app.include_router(signin.router)
    for wing_router in attached("pages"):
        app.include_router(wing_router)
    app.mount("/static", StaticFiles(directory=PACKAGE / "static"), name="static")
    app.mount("/help", HelpSite(HELP, ROOT / "docs"), name="help")
