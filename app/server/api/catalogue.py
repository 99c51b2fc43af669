"""GET /v1/resources, /v1/features/catalogue, /v1/metrics and /problems."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from app.errors import PROBLEMS, InputError
from app.operations import resources
from app.operations.resources import ResourcesAnswer
from app.resources.checkpoints import Checkpoints
from app.server.api.problems import PROBLEM_RESPONSES, status_of
from app.server.explanations import EXPLANATIONS
from app.server.service.access import RequestAccess

__all__ = ["problems_router", "router"]

router = APIRouter(tags=["catalogue"], responses=PROBLEM_RESPONSES)


@router.get("/v1/resources", response_model=ResourcesAnswer)
def list_resources(access: RequestAccess) -> Response:
    """List loaded resources per language and pair, and the limits of requests."""
    return JSONResponse(resources.list_resources(access.engine, access.settings, access.translation_services))


@router.get("/v1/features/catalogue")
def list_features(access: RequestAccess) -> Response:
    """Every feature, those of loaded checkpoints among them, and every feature set."""
    return JSONResponse(resources.features_catalogue(access.engine.resources.checkpoints if access.ready else Checkpoints()))


@router.get("/v1/metrics")
def list_metrics(access: RequestAccess) -> Response:
    """Every metric with its variants and the options it takes, and the trained metrics that are loaded."""
    return JSONResponse(resources.list_metrics(access.engine))


class ForPrograms(APIRoute):
    """A route that leaves browsers to the page of its address."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match a request unless its caller prefers a page."""
        return (Match.NONE, {}) if "text/html" in Headers(scope=scope).get("accept", "") else super().matches(scope)


problems_router = APIRouter(tags=["catalogue"], responses=PROBLEM_RESPONSES, route_class=ForPrograms)


@problems_router.get("/problems/{code}")
def get_problem(code: str) -> Response:
    """Explain the type of a problem: its cause, an example and the remedy; browsers get a page."""
    if code not in PROBLEMS:
        raise InputError("not-found", "no problem has this code; docs/reference/errors.md lists all", ("code",))
    about = {"type": f"/problems/{code}", "title": PROBLEMS[code], "status": status_of(code)}
    return JSONResponse(about | EXPLANATIONS[code]._asdict(), headers={"Vary": "Accept"})
