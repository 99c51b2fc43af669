"""POST /v1/files: the content of a document, without storing it."""

from collections.abc import Mapping
from typing import Any, BinaryIO, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.documents import FILE_FORMATS
from app.operations.annotate import FileAnswer, inspect_candidates, inspect_files
from app.server.api.bodies.json_bodies import worked_on
from app.server.api.bodies.uploads import HEADER, KIND, open_files
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service.access import RequestAccess

__all__ = ["files_router"]

FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "format": "binary", "description": ", ".join(form.title for form in FILE_FORMATS.values())},
        "source": {"type": "string", "format": "binary", "description": "One source segment a line; with an n-best list or alone"},
        "translation": {"type": "string", "format": "binary", "description": "One translation a line, with source"},
        "header": HEADER,
        "kind": KIND,
    },
}


def files_router(max_upload_bytes: int) -> APIRouter:
    """The route of documents; uploads may be larger than other bodies."""
    router = APIRouter(prefix="/v1/files", tags=["files"], responses=PROBLEM_RESPONSES)
    body = {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}

    @router.post("", response_model=FileAnswer, openapi_extra={"requestBody": body}, max_body_size=max_upload_bytes)
    async def inspect_file(request: Request, access: RequestAccess) -> Response:
        """Describe a file: format, languages, segments, and the predictor of its pair. Nothing is kept."""
        access.require("quality")
        async with open_files(request) as (files, header, is_ranking):
            opened_files: Mapping[str, BinaryIO] = files
            inspect = inspect_candidates if is_ranking else inspect_files
            return JSONResponse(await worked_on(request, lambda: inspect(access.engine, opened_files, header)))

    return router
