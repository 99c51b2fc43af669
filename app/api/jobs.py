"""POST, GET and DELETE /v1/jobs, their events and results."""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.formparsers import MultiPartException

from app.api.access import ServiceHere
from app.api.caching import matches
from app.api.documents import is_document, plan_document
from app.api.job_requests import plan_request
from app.api.problems import PROBLEM_RESPONSES
from app.api.schemas import JobAnswer, JobList, JobRequest
from app.api.streamed_jobs import STREAMED, plan_files
from app.api.uploads import JobForm, form_content, open_form
from app.errors import InputError
from app.jobs import FORMATS, check_webhook, result_stream
from app.jobs.annotation import annotated_file
from app.jobs.former_operations import OPERATIONS
from app.service import Service
from app.store import FINAL_STATES, JobView, Origin, job_answer

__all__ = ["jobs_router"]

POLL_SECONDS = 0.2
KEY: Final = re.compile(r"[\x21-\x7e]{1,200}")
LONGEST_OWNER: Final = 100
REQUEST_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": JobRequest.model_json_schema()},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"type": "string"},
                    "params": {"type": "string", "description": "JSON object of the parameters that are not files"},
                    "file": {"type": "string", "format": "binary", "description": "A table or a document that people translate in"},
                    "source": {"type": "string", "format": "binary", "description": "one source segment a line"},
                    "owner": {"type": "string", "description": "A name for people, shown in lists"},
                    "webhook": {"type": "string", "description": "Address that is told of the job's end"},
                    "translation": {"type": "string", "format": "binary", "description": "one translation a line"},
                },
            }
        },
    },
}


def _found(id: str, service: ServiceHere) -> JobView:
    # Looked up before the stream begins, while an error can still be a status.
    return service.store.get(id)


JobHere = Annotated[JobView, Depends(_found)]


def _queue_form(form: JobForm, key: str | None, service: Service) -> JobView:
    """Plan and store the job of a form while its files are open."""
    origin = _origin(form.owner, form.webhook, key, form.digest() if key else None, service)
    found = service.store.repeated(origin)
    if found is not None:
        return found
    if form.kind in STREAMED and is_document(form.files):
        plan = plan_document(form, service)
    elif form.kind in STREAMED and form.files:
        plan = plan_files(form, service)
    else:
        plan = plan_request(form_content(form), service)
    return service.store.create(plan, origin)


def _queue_json(raw: bytes, key: str | None, service: Service) -> JobView:
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        raise InputError("invalid-json", "the body could not be read as JSON") from None
    fields = content if isinstance(content, dict) else {}
    digest = hashlib.sha256(raw).hexdigest() if key else None
    owner, webhook = (each if isinstance(each, str) else None for each in (fields.get("owner"), fields.get("webhook")))
    origin = _origin(owner, webhook, key, digest, service)
    found = service.store.repeated(origin)
    return found or service.store.create(plan_request(content, service), origin)


def _origin(owner: str | None, webhook: str | None, key: str | None, digest: str | None, service: Service) -> Origin:
    if key is not None and not KEY.fullmatch(key):
        raise InputError("invalid-request", "an Idempotency-Key is 1 to 200 visible characters of ASCII", ("Idempotency-Key",))
    if owner is not None and (len(owner) > LONGEST_OWNER or not owner.isprintable()):
        raise InputError("invalid-request", f"an owner is a name of at most {LONGEST_OWNER} characters", ("owner",))
    if webhook is not None:
        check_webhook(webhook, service.settings.webhook_hosts if service.settings.webhook_secret else "")
    return Origin(owner or "", key, digest, webhook)


def jobs_router(max_upload_bytes: int) -> APIRouter:
    """Routes of jobs; uploads may be larger than other bodies."""
    router = APIRouter(prefix="/v1/jobs", tags=["jobs"], responses=PROBLEM_RESPONSES)

    @router.post(
        "",
        status_code=202,
        response_model=JobAnswer,
        openapi_extra={"requestBody": REQUEST_BODY},
        max_body_size=max_upload_bytes,
    )
    async def create(
        request: Request, service: ServiceHere, idempotency_key: Annotated[str | None, Header(max_length=1000)] = None
    ) -> Response:
        """Queue a job: JSON with `kind` and `params`, or a form with files. A repeated Idempotency-Key makes no second job."""
        form = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if form == "application/json":
            job = await run_in_threadpool(_queue_json, await request.body(), idempotency_key, service)
        elif form == "multipart/form-data":
            try:
                async with open_form(request, service.settings.max_systems) as opened:
                    job = await run_in_threadpool(_queue_form, opened, idempotency_key, service)
            except MultiPartException:
                raise InputError("invalid-job", "the form ends too early or is damaged; send it again") from None
        else:
            raise InputError("unsupported-media-type", "send application/json or multipart/form-data")
        return JSONResponse(job_answer(job), 202, {"Location": f"/v1/jobs/{job.id}"})

    @router.get("", response_model=JobList)
    def all_jobs(
        service: ServiceHere,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        after: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$", description="Id of the last job of the page before")] = None,
        state: Literal["queued", "running", "succeeded", "failed", "cancelled"] | None = None,
        kind: Annotated[str | None, Query(max_length=20)] = None,
    ) -> Response:
        """Jobs, the newest first; `next` is what to send as `after` for the page behind this one."""
        found = service.store.list(limit + 1, after, state, kind)
        following = found[limit - 1].id if len(found) > limit else None
        return JSONResponse({"jobs": [job_answer(job) for job in found[:limit]], "next": following})

    @router.post("/{id}/retry", response_model=JobAnswer, status_code=202)
    def retry(id: str, service: ServiceHere) -> Response:
        """A new job that goes on where this one failed or was cancelled."""
        job = service.store.retry(id)
        return JSONResponse(job_answer(job), 202, {"Location": f"/v1/jobs/{job.id}"})

    @router.get("/{id}", response_model=JobAnswer)
    def one_job(id: str, service: ServiceHere) -> Response:
        """One job."""
        return JSONResponse(job_answer(service.store.get(id)))

    @router.delete("/{id}", response_model=JobAnswer)
    def cancel(id: str, service: ServiceHere, remove: bool = False) -> Response:
        """Cancel a job that is not finished; with `remove`, delete a finished one and all it holds."""
        return JSONResponse(job_answer(service.store.remove(id) if remove else service.store.cancel(id)))

    @router.get("/{id}/events", response_class=EventSourceResponse)
    async def events(job: JobHere, service: ServiceHere) -> AsyncIterator[ServerSentEvent]:
        """Server-sent events `progress`, each the job as JSON, and `end` with the last."""
        last: dict[str, Any] | None = None
        while not service.stopping.is_set():
            now = job_answer(job)
            if now != last:
                over = job.state in FINAL_STATES
                yield ServerSentEvent(event="end" if over else "progress", data=now)
                last = now
                if over:
                    return
            await asyncio.sleep(POLL_SECONDS)
            job = await run_in_threadpool(service.store.get, job.id)

    @router.get("/{id}/result")
    def result(
        id: str, request: Request, service: ServiceHere, format: Literal["json", "jsonl", "tsv", "annotated"] = "json"
    ) -> Response:
        """The result of a job that succeeded; `annotated` is the file that was sent, with the scores in it."""
        job = service.store.get(id)
        if job.state != "succeeded" or job.summary is None:
            raise InputError("job-not-finished", f"the job is {job.state}; only one that succeeded has a result", ("id",))
        # What has succeeded never changes.
        tag = f'"{job.id}-{format}"'
        if matches(request, tag):
            return Response(status_code=304, headers={"ETag": tag})
        if format == "annotated":
            content, name, media = annotated_file(service.store, job)
            headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}", "ETag": tag}
            return Response(content, 200, headers, media)
        pieces = result_stream(OPERATIONS[job.kind], job.summary, service.store.outputs(id), format)
        name = f"assay-{job.kind}-{job.id[:8]}.{format}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "ETag": tag}
        return StreamingResponse((piece.encode("utf-8", "replace") for piece in pieces), 200, headers, FORMATS[format])

    return router
