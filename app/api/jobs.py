"""POST, GET and DELETE /v1/jobs, their events and results."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.formparsers import MultiPartException

from app.api.access import ServiceHere
from app.api.job_requests import plan_request
from app.api.problems import PROBLEM_RESPONSES
from app.api.schemas import JobAnswer, JobList, JobRequest
from app.api.streamed_jobs import STREAMED, plan_files
from app.api.uploads import JobForm, form_content, open_form
from app.jobs import FORMATS, JobView, result_stream
from app.jobs.store import FINAL_STATES
from app.service import Service
from app.text import InputError

__all__ = ["job_answer", "jobs_router"]

POLL_SECONDS = 0.2
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
                    "file": {"type": "string", "format": "binary", "description": "TSV with source and translation"},
                    "source": {"type": "string", "format": "binary", "description": "one source segment a line"},
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


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def job_answer(job: JobView) -> dict[str, Any]:
    """A job as JSON."""
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "rate": None if job.rate is None else round(job.rate, 1),
        "eta": None if job.eta is None else round(job.eta, 1),
        "created": _time(job.created),
        "started": _time(job.started),
        "finished": _time(job.finished),
        "error": job.error,
        "summary": job.summary,
        "params": job.params,
    }


def _queue_form(form: JobForm, service: Service) -> JobView:
    """Plan and store the job of a form while its files are open."""
    if form.kind in STREAMED and form.files:
        return service.store.create(plan_files(form.kind, form.params, form.files, service))
    return service.store.create(plan_request(form_content(form), service))


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
    async def create(request: Request, service: ServiceHere) -> Response:
        """Queue a job: JSON with `kind` and `params`, or a form with files."""
        form = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if form == "application/json":
            try:
                content = json.loads(await request.body())
            except (ValueError, RecursionError):
                raise InputError("invalid-json", "the body could not be read as JSON") from None
        elif form == "multipart/form-data":
            try:
                async with open_form(request, service.settings.max_systems) as opened:
                    job = await run_in_threadpool(_queue_form, opened, service)
                    return JSONResponse(job_answer(job), 202, {"Location": f"/v1/jobs/{job.id}"})
            except MultiPartException:
                raise InputError("invalid-job", "the form ends too early or is damaged; send it again") from None
        else:
            raise InputError("unsupported-media-type", "send application/json or multipart/form-data")
        plan = await run_in_threadpool(plan_request, content, service)
        job = await run_in_threadpool(service.store.create, plan)
        return JSONResponse(job_answer(job), 202, {"Location": f"/v1/jobs/{job.id}"})

    @router.get("", response_model=JobList)
    def all_jobs(service: ServiceHere, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
        """Jobs, the newest first."""
        return JSONResponse({"jobs": [job_answer(job) for job in service.store.list(limit)]})

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
    def result(id: str, service: ServiceHere, format: Literal["json", "jsonl", "tsv"] = "json") -> Response:
        """The result of a job that succeeded."""
        job = service.store.get(id)
        if job.state != "succeeded" or job.summary is None:
            raise InputError("job-not-finished", f"the job is {job.state}; only one that succeeded has a result", ("id",))
        pieces = result_stream(job.kind, job.summary, service.store.outputs(id), format)
        name = f"assay-{job.kind}-{job.id[:8]}.{format}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse((piece.encode("utf-8", "replace") for piece in pieces), 200, headers, FORMATS[format])

    return router
