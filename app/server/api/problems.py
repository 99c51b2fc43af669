"""Errors as RFC 9457 problem+json; nothing that the caller sent is ever repeated."""

import logging
import re
from collections.abc import Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from starlette.exceptions import HTTPException

from app.errors import PROBLEMS, InputError, disk_full, is_disk_full
from app.operations.judgements.corrections import CorrectionConflictError, correction_answer
from app.operations.validation import explain_fault
from app.running.rates import QuotaError
from app.server.api.bodies.json_bodies import REFUSALS
from app.server.api.contract import PROBLEM_REFERENCE, allowed_methods
from app.server.api.rate_limits import rate_limit_fields

__all__ = ["PROBLEM_RESPONSES", "Refusal", "install_problem_handlers", "problem_response", "status_of"]

log = logging.getLogger("assay")
# Names of fields may be repeated; keys that callers invent (names of systems) may not.
FIELD: Final = re.compile(r"[a-z][a-z_]{0,40}")
# Statuses that the framework answers with; the first code of each is its problem.
FRAMEWORK_STATUSES: Final = (400, 404, 405, 413, 415)
RETRY_SECONDS: Final = "1"
RETRY_STATUSES: Final = (429, 503)
# Problems that know when it is worth asking again, or that it never is.
SAYS_WHEN: Final = frozenset({"quota-exceeded", "too-many-jobs", "queue-full", "service-budget-spent"})
NEEDS_KEY: Final = 401
MOST_ERRORS: Final = 20
# Where something is wrong with a body as a whole.
BODY_PLACE: Final = ("body",)
# Every other problem is something in a request that cannot be used.
UNUSABLE: Final = 422
CODES: Final = {
    400: ("invalid-json",),
    401: ("no-key",),
    403: ("forbidden", "cross-origin", "untrusted-proxy", "invalid-user"),
    404: ("not-found", "unknown-key", "unknown-job"),
    405: ("method-not-allowed",),
    408: ("body-too-slow",),
    409: ("job-not-finished", "correction-conflict", "not-promoted", "idempotency-conflict"),
    410: ("result-expired",),
    413: ("body-too-large",),
    415: ("unsupported-media-type",),
    421: ("unknown-host",),
    429: ("too-many-requests", "quota-exceeded", "too-many-jobs"),
    500: ("internal-error",),
    502: ("service-failed", "service-unreadable"),
    503: ("queue-full", "overloaded", "too-slow", "database-unavailable", "database-damaged", "not-ready", "service-budget-spent"),
    507: ("storage-quota-exceeded", "disk-full"),
}
STATUSES: Final = {code: status for status, codes in CODES.items() for code in codes}
PROBLEM_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"description": "Problem", "content": {"application/problem+json": {"schema": dict(PROBLEM_REFERENCE)}}}
    for status in sorted({*CODES, UNUSABLE} - {500})
}


class Refusal(HTTPException):
    """A problem that is found while a body is read, where only exceptions of HTTP come through."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(status_of(code), detail)
        self.code = code


def status_of(code: str) -> int:
    """The HTTP status of a problem of the catalogue."""
    return STATUSES.get(code, UNUSABLE)


def problem_response(code: str, detail: str, where: Sequence[str | int] = (), **fields: Any) -> Response:
    """A problem of the catalogue as a response."""
    status = status_of(code)
    body: dict[str, Any] = {"type": f"/problems/{code}", "title": PROBLEMS[code], "status": status, "detail": detail}
    if where:
        body["where"] = place(where)
    headers = {"Allow": fields.pop("allow")} if "allow" in fields else {}
    headers |= fields.pop("headers", {})
    if status in RETRY_STATUSES and code not in SAYS_WHEN:
        headers["Retry-After"] = RETRY_SECONDS
    if status == NEEDS_KEY:
        headers["WWW-Authenticate"] = 'Bearer realm="assay"'
    if code == "body-too-slow":
        headers["Connection"] = "close"
    return JSONResponse(body | fields, status, headers, media_type="application/problem+json")


def place(parts: Sequence[str | int]) -> str:
    """``segments.3.source``; a part that is not a number or one of our field names becomes ``*``."""
    return ".".join(str(p) if isinstance(p, int) or FIELD.fullmatch(p) else "*" for p in parts)


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every failure of `app` with a problem."""

    @app.exception_handler(InputError)
    async def on_input_error(request: Request, error: InputError) -> Response:
        if is_disk_full(error):
            request.app.state.service.note_full_disk()
        return problem_response(error.code, error.detail, error.where)

    @app.exception_handler(CorrectionConflictError)
    async def on_conflict(request: Request, error: CorrectionConflictError) -> Response:
        return problem_response(error.code, error.detail, error.where, current=correction_answer(error.current))

    @app.exception_handler(NoConnectionError)
    async def on_no_connection(request: Request, error: NoConnectionError) -> Response:
        return problem_response("overloaded", "all connections to the database are in use; ask again in a moment")

    @app.exception_handler(QuotaError)
    async def on_quota_error(request: Request, error: QuotaError) -> Response:
        headers = rate_limit_fields(error.quotas)
        if error.retry_after is not None:
            headers["Retry-After"] = str(error.retry_after)
        return problem_response(error.code, error.detail, error.where, headers=headers, **error.facts)

    @app.exception_handler(OSError)
    async def on_system_error(request: Request, error: OSError) -> Response:
        if is_disk_full(error):
            return await on_input_error(request, disk_full())
        return await on_failure(request, error)

    @app.exception_handler(ValidationError)
    async def on_invalid_params(request: Request, error: ValidationError) -> Response:
        return _invalid(error.errors(include_url=False, include_input=False))

    @app.exception_handler(RequestValidationError)
    async def on_validation_error(request: Request, error: RequestValidationError) -> Response:
        faults = error.errors()
        if any(fault["type"] == "json_invalid" for fault in faults):
            refusals = REFUSALS.intersection(fault.get("ctx", {}).get("error") for fault in faults)
            return problem_response("invalid-json", next(iter(refusals), "the body could not be read as JSON"))
        content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_body_unread = any(tuple(fault["loc"]) == BODY_PLACE and fault["type"] != "missing" for fault in faults)
        if is_body_unread and not content_type.endswith(("json", "form-data")):
            detail = "the request has no Content-Type" if not content_type else "this call does not read this Content-Type"
            return problem_response("unsupported-media-type", f"{detail}; send Content-Type: application/json")
        return _invalid(faults)

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> Response:
        if isinstance(error, Refusal):
            return problem_response(error.code, error.detail)
        status = error.status_code
        other_code = "invalid-request" if status < 500 else "internal-error"
        code = CODES[status][0] if status in FRAMEWORK_STATUSES else other_code
        details = {
            "not-found": "see /docs for the existing addresses",
            "method-not-allowed": "see /docs for the methods of this address",
            "body-too-large": "send less, or a job; the limits are in GET /v1/resources",
        }
        allow = allowed_methods(request.app.router.routes, request.scope) if code == "method-not-allowed" else ""
        if allow and request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": f"{allow}, OPTIONS"})
        return problem_response(code, details.get(code, PROBLEMS[code]), **({"allow": allow} if allow else {}))

    @app.exception_handler(UnicodeDecodeError)
    async def on_bad_encoding(request: Request, error: UnicodeDecodeError) -> Response:
        return problem_response("invalid-encoding", f"byte {error.start + 1} of the body is not UTF-8")

    @app.exception_handler(RecursionError)
    async def on_deep_json(request: Request, error: RecursionError) -> Response:
        return problem_response("invalid-json", "the body is nested too deeply")

    @app.exception_handler(Exception)
    async def on_failure(request: Request, error: Exception) -> Response:
        route = getattr(request.scope.get("route"), "path", "an unknown address")
        log.error("%s %s failed", request.method, route, exc_info=error)
        return problem_response("internal-error", "the failure is in the server's log")


def _invalid(faults: Sequence[Any]) -> Response:
    # A check of several fields knows the place of the fault, and its code.
    cause = faults[0].get("ctx", {}).get("error")
    if isinstance(cause, InputError) and cause.where and len(faults[0]["loc"]) <= 1:
        return problem_response(cause.code, cause.detail, cause.where)
    errors = [{"where": place(error["loc"] or BODY_PLACE), "detail": explain_fault(error)} for error in faults[:MOST_ERRORS]]
    first = errors[0]
    return problem_response("invalid-request", f"{first['where']}: {first['detail']}", errors=errors)
