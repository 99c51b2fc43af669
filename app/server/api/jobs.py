"""POST, GET and DELETE /v1/jobs, their events, results and files."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Annotated, Any, Final, Literal
from urllib.parse import quote

import anyio.to_thread
from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.annotate import CorrectionPlace
from app.operations.job_files import MadeFile
from app.server.api.bodies.json_bodies import read_json, worked_on
from app.server.api.bodies.uploads import HEADER, open_form
from app.server.api.caching import matches
from app.server.api.contract import RESULT_CONTENT
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.api.rate_limits import rate_limit_fields
from app.server.jobs import Formulas
from app.server.service import Access, JobRequest, ResultForm
from app.server.service.access import RequestAccess
from app.server.service.watching import note_segments
from app.server.store import FINAL_STATES, PRIORITIES, JobAnswer, JobList, JobState, JobView, job_answer
from app.text.reading.decoder_files import DECODER_FILES
from app.text.side_information import kinds_of_files

__all__ = ["jobs_router"]

FILES: Final = {
    "file": "A table or a document that people translate in",
    "source": "one source segment a line",
    "translation": "one translation a line",
    "recipe": "A recipe; each file that it reads is input:NAME",
    **{role: f"{kind.need}, of one segment a line" for role, kind in kinds_of_files().items()},
    **DECODER_FILES,
}
PIECE: Final = 1 << 16
BYTES: Final = "application/octet-stream"
FILE_ANSWER: Final[dict[str, Any]] = {
    "description": "The file as it is",
    "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}},
}
# Texts of users: nothing on the way may keep them.
PRIVATE: Final = {"Cache-Control": "private, no-store"}
FORM: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"type": "string"},
        "params": {"type": "string", "description": "JSON object of the parameters that are not files"},
        "owner": {"type": "string", "description": "A name for people, shown in lists"},
        "webhook": {"type": "string", "description": "Address for a message at the job's end"},
        "priority": {"type": "string", "enum": list(PRIORITIES), "description": "Order among jobs; high needs the scope admin"},
        "header": HEADER,
        **{role: {"type": "string", "format": "binary", "description": text} for role, text in FILES.items()},
    },
}
REQUEST_BODY: Final[dict[str, Any]] = {
    "required": True,
    "content": {"application/json": {"schema": JobRequest.model_json_schema()}, "multipart/form-data": {"schema": FORM}},
}


def _job_of(id: str, access: RequestAccess) -> JobView:
    # The lookup precedes the stream, since a status can report an error only before it.
    return access.job(id)


class JobFileList(TypedDict):
    """Files of a job, input files first."""

    files: list[MadeFile]


JobHere = Annotated[JobView, Depends(_job_of)]


async def _create(request: Request, access: Access, key: str | None) -> JobView:
    # The check comes before a body of a hundred megabytes is read.
    access.require("jobs")
    form = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if form == "application/json":
        raw = await _json_body(request, access.settings.max_body_bytes)
        return await worked_on(request, lambda: access.submit(raw, read_json(raw), key))
    if form != "multipart/form-data":
        detail = "a job does not come in this Content-Type" if form else "the request has no Content-Type"
        raise InputError("unsupported-media-type", f"{detail}; send application/json or multipart/form-data")
    async with open_form(request, access.settings.max_systems) as opened_form:
        return await worked_on(request, lambda: access.submit_form(opened_form, key))


def _result(id: str, request: Request, access: Access, form: ResultForm) -> Response:
    """Stream a result. An annotated file goes through a temporary file, so that a slow download holds no memory."""
    job = access.job(id)
    # Only corrections change a job that succeeded.
    version = access.result_version(id) if job.state == "succeeded" else 0
    choices = f"-{version}-{form.written}-{form.segments}" if version else ""
    tag = f'"{id}-{form.name}-{form.formulas}{choices}"' if form.name == "tsv" else f'"{id}-{form.name}{choices}"'
    if job.state == "succeeded" and job.expired is None and matches(request, tag):
        return Response(status_code=304, headers={"ETag": tag, **PRIVATE})
    content = access.result(id, form)
    if form.name != "annotated":
        headers = {"Content-Disposition": f'attachment; filename="{content.name}"', "ETag": tag, **PRIVATE}
        return StreamingResponse(content.pieces, 200, headers, content.media_type)
    spool = TemporaryFile()  # noqa: SIM115  (the response closes it)
    size = sum(map(spool.write, content.pieces))
    spool.seek(0)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(content.name)}", "ETag": tag, **PRIVATE}
    if content.corrections and any(content.corrections.values()):
        headers["Assay-Corrections"] = ", ".join(f"{name}={count}" for name, count in content.corrections.items())
    return StreamingResponse(_pieces(spool), 200, {**headers, "Content-Length": str(size)}, content.media_type)


def _file(id: str, name: str, request: Request, access: Access) -> Response:
    file, pieces = access.file(id, name)
    tag = f'"{file["sha256"]}"'
    if matches(request, tag):
        return Response(status_code=304, headers={"ETag": tag, **PRIVATE})
    disposition = f"attachment; filename*=UTF-8''{quote(name.rpartition('/')[2])}"
    headers = {"Content-Disposition": disposition, "Content-Length": str(file["bytes"]), "ETag": tag, **PRIVATE}
    return StreamingResponse(pieces, 200, headers, BYTES)


def _pieces(spool: IO[bytes]) -> Iterator[bytes]:
    with spool:
        while piece := spool.read(PIECE):
            yield piece


async def _json_body(request: Request, limit: int) -> bytes:
    """A JSON body, limited to the size of a call, since parsing takes several times its memory. InputError for a larger one."""
    detail = f"JSON may have at most {limit} bytes; send files in a form"
    announced_size = request.headers.get("content-length", "")
    if announced_size.isdigit() and int(announced_size[:20]) > limit:
        raise InputError("body-too-large", detail)
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > limit:
            raise InputError("body-too-large", detail)
    return bytes(raw)


def _queued(job: JobView, access: Access) -> Response:
    note_segments(job.total)
    return JSONResponse(job_answer(job), 202, {"Location": f"/v1/jobs/{job.id}", **rate_limit_fields(access.standing)})


def jobs_router(max_upload_bytes: int) -> APIRouter:
    """Routes of jobs; uploads may be larger than other bodies."""
    router = APIRouter(prefix="/v1/jobs", tags=["jobs"], responses=PROBLEM_RESPONSES)

    @router.post(
        "", status_code=202, response_model=JobAnswer, openapi_extra={"requestBody": REQUEST_BODY}, max_body_size=max_upload_bytes
    )
    async def create_job(
        request: Request, access: RequestAccess, idempotency_key: Annotated[str | None, Header(max_length=1000)] = None
    ) -> Response:
        """Queue a job: JSON with `kind` and `params`, or a form with files. A repeated Idempotency-Key makes no second job."""
        return _queued(await _create(request, access, idempotency_key), access)

    @router.get("", response_model=JobList)
    def list_jobs(
        access: RequestAccess,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        after: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$", description="Id of the last job of the page before")] = None,
        state: JobState | None = None,
        kind: Annotated[str | None, Query(max_length=64)] = None,
    ) -> Response:
        """Jobs, the newest first; `next` is the value of `after` for the next page."""
        jobs = access.list_jobs(limit + 1, after, state, kind)
        following = jobs[limit - 1].id if len(jobs) > limit else None
        return JSONResponse({"jobs": [job_answer(job) for job in jobs[:limit]], "next": following})

    @router.post("/{id}/retry", response_model=JobAnswer, status_code=202)
    def retry_job(id: str, access: RequestAccess) -> Response:
        """A new job that continues this failed or cancelled one."""
        return _queued(access.retry(id), access)

    @router.get("/{id}", response_model=JobAnswer)
    def get_job(job: JobHere) -> Response:
        """One job."""
        return JSONResponse(job_answer(job))

    @router.delete("/{id}", response_model=JobAnswer)
    def cancel_job(id: str, access: RequestAccess, remove: bool = False) -> Response:
        """Cancel a job that is not finished; with `remove`, delete a finished one and all it holds."""
        return JSONResponse(job_answer(access.remove(id) if remove else access.cancel(id)))

    @router.get("/{id}/events", response_class=EventSourceResponse)
    async def follow_job(job: JobHere, access: RequestAccess) -> AsyncIterator[ServerSentEvent]:
        """Server-sent events `progress`, each the job as JSON, and `end` with the last."""
        last: JobAnswer | None = None
        async for view in access.follow(job):
            now = job_answer(view)
            if now != last:
                yield ServerSentEvent(event="end" if view.state in FINAL_STATES else "progress", data=now)
                last = now

    @router.get("/{id}/files", response_model=JobFileList)
    def list_job_files(id: str, access: RequestAccess) -> JobFileList:
        """The files of a `recipe` job by name: its input, and the output of finished steps."""
        return {"files": access.files(id)}

    @router.get("/{id}/files/{name:path}", response_class=Response, responses={200: FILE_ANSWER})
    def get_job_file(id: str, name: Annotated[str, Path(max_length=1000)], request: Request, access: RequestAccess) -> Response:
        """One file of a job as it is; its `ETag` is its SHA-256."""
        return _file(id, name, request, access)

    @router.get(
        "/{id}/result",
        # FastAPI would put the media type of a response class before these.
        response_class=Response,
        responses={200: {"description": "In the form that was asked for", "content": RESULT_CONTENT}},
    )
    async def get_job_result(
        id: str,
        request: Request,
        access: RequestAccess,
        format: Literal["json", "jsonl", "tsv", "annotated", "tmx"] = "json",
        formulas: Annotated[
            Formulas,
            Query(description="Cells of a TSV table that a spreadsheet would run: an apostrophe before them, or as they are"),
        ] = "escape",
        corrections: Annotated[
            CorrectionPlace, Query(description="Place of corrections in the document: the target, a comment beside it, or left out")
        ] = "target",
        segments: Annotated[Literal["corrected", "all"], Query(description="Segments of a translation memory")] = "corrected",
    ) -> Response:
        """The result of a job that succeeded; `annotated` is the file that was sent with the scores in it, `tmx` a memory."""
        make = partial(_result, id, request, access, ResultForm(format, formulas, corrections, segments))
        return await (access.in_turn(make, request.is_disconnected) if format == "annotated" else anyio.to_thread.run_sync(make))

    return router
