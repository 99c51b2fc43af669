"""What the OpenAPI document calls operations, which generators of clients make names of; and which methods an address has."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, Final

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match

from app.documents import FILE_FORMATS

__all__ = ["OPERATION_IDS", "RESULT_CONTENT", "allowed_methods", "operation_id"]

TABLE: Final = "text/tab-separated-values"
# Words, since `create_v1_jobs_post` would be a client's method otherwise. They are part of the contract: none changes.
OPERATION_IDS: Final = MappingProxyType(
    {
        "GET /health/live": "isAlive", "GET /health/ready": "isReady", "GET /metrics": "getServerMetrics",
        "GET /v1/me": "getMe", "GET /v1/me/usage": "getMyUsage", "GET /v1/audit": "listAuditEntries",
        "POST /v1/quality": "predictQuality", "POST /v1/words": "tagWords", "POST /v1/features": "computeFeatures",
        "POST /v1/rank": "rankTranslations", "POST /v1/score": "scoreOutputs", "POST /v1/compare": "compareSystems",
        "POST /v1/correlate": "correlateMetrics", "POST /v1/word-order": "scoreWordOrder",
        "POST /v1/oracle": "findOracles", "POST /v1/rerank": "rerankLists",
        "POST /v1/translate": "translateSegments", "POST /v1/mbr": "decideByBayesRisk", "POST /v1/combine": "combineSystems",
        "GET /v1/resources": "listResources", "GET /v1/features/catalogue": "listFeatures", "GET /v1/metrics": "listMetrics",
        "GET /problems/{code}": "getProblem", "GET /v1/models": "listModels", "GET /v1/models/{model}": "getModel",
        "POST /v1/models/{model}/promote": "promoteModel", "POST /v1/models/{model}/rollback": "rollBackModel",
        "GET /translate/qe": "getTranslationQuality", "GET /v1/feedback": "countFeedback", "POST /v1/feedback": "giveFeedback",
        "GET /v1/feedback/items": "listFeedback", "GET /v1/feedback/export": "exportFeedback",
        "GET /v1/feedback/{id}": "getFeedback", "PATCH /v1/feedback/{id}": "correctFeedback",
        "DELETE /v1/feedback/{id}": "deleteFeedback", "GET /v1/jobs/{id}/corrections": "listCorrections",
        "PUT /v1/jobs/{id}/corrections/{segment}": "putCorrection",
        "DELETE /v1/jobs/{id}/corrections/{segment}": "takeBackCorrection", "DELETE /v1/owners/{name}": "deleteOwner",
        "POST /v1/jobs": "createJob", "GET /v1/jobs": "listJobs",
        "GET /v1/jobs/{id}": "getJob", "DELETE /v1/jobs/{id}": "cancelJob",
        "POST /v1/jobs/{id}/retry": "retryJob", "GET /v1/jobs/{id}/events": "followJob",
        "GET /v1/jobs/{id}/result": "getJobResult",
        "GET /v1/jobs/{id}/files": "listJobFiles", "GET /v1/jobs/{id}/files/{name}": "getJobFile", "POST /v1/files": "inspectFile",
    }
)  # fmt: skip
# The forms of a result, and those of the files that scores are written into. Text comes first: generators that know one form of an
# answer take the first that they can read, and every other form here can be read as text, while a table is no JSON.
RESULT_CONTENT: Final[dict[str, Any]] = {
    **{
        media_type: {"schema": {"type": "string"}}
        for media_type in sorted(
            {TABLE, *(form.media_type for form in FILE_FORMATS.values())}, key=lambda name: (name != TABLE, name)
        )
    },
    "application/json": {"schema": {"type": "object"}},
}


def operation_id(route: APIRoute) -> str:
    """The name of a route's operation; that of its function where it is no part of the contract."""
    method = next(iter(sorted((route.methods or set()) - {"HEAD"})), "")
    return OPERATION_IDS.get(f"{method} {route.path_format}", route.name)


def allowed_methods(routes: Iterable[BaseRoute], scope: Any) -> str:
    """The value of `Allow` for an address: the methods of all of its routes; empty where it has none."""
    return ", ".join(sorted(set(_methods(routes, scope))))


def _methods(routes: Iterable[BaseRoute], scope: Any) -> Iterator[str]:
    for route in routes:
        if route.matches(dict(scope))[0] is Match.NONE:
            continue
        # FastAPI keeps a router that was included as one route.
        included = getattr(route, "original_router", None)
        yield from _methods(included.routes, scope) if included is not None else getattr(route, "methods", None) or ()
