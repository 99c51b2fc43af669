"""Multipart forms with files, which stay open, and on disk, while they are worked on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO, Final

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from app.api.bodies.json_bodies import read_json
from app.errors import InputError
from app.service import JobForm
from app.text.side_information import kinds_beside

__all__ = ["HEADER", "open_files", "open_form"]

MAX_FIELD_BYTES = 1_000_000
STATED: Final = {"yes": True, "no": False, "": None}
# The field as documentation has it.
HEADER: Final = {
    "type": "string",
    "enum": ["yes", "no"],
    "description": "Whether the first row of a table is a heading; told otherwise",
}


@asynccontextmanager
async def open_form(request: Request, max_systems: int) -> AsyncIterator[JobForm]:
    """Read `kind`, `params`, `owner`, `webhook`, `priority`, `header`; all else are files by their role, which an operation knows.

    Files: `file` (a table or a document; `source` goes with an n-best list), or `source` and `translation` (lines), or
    for scores one `system:NAME` and `reference:NAME` each (lines); side information of `kinds_beside` (lines) goes with a
    table or with lines.
    """
    async with _parts(request, 2 * max_systems + 1 + len(kinds_beside())) as (texts, files, names):
        params = read_json(texts.pop("params", "{}").encode(), "the field params is not JSON", ("params",))
        kind = texts.pop("kind", None)
        owner, webhook, priority = (texts.pop(name, "") or None for name in ("owner", "webhook", "priority"))
        header = _header(texts)
        if kind is None or not isinstance(params, dict) or texts:
            raise InputError("invalid-job", "a form has kind, params (an object), owner, webhook, priority, header and files")
        yield JobForm(kind, params, files, names, owner, webhook, priority, header)


@asynccontextmanager
async def open_files(request: Request) -> AsyncIterator[tuple[dict[str, BinaryIO], bool | None]]:
    """The files of a form, and whether it states that a table has a header."""
    try:
        async with _parts(request, 2) as (texts, files, _):
            header = _header(texts)
            if texts:
                raise InputError("invalid-request", "the form has files alone, file, source, translation, and header")
            yield files, header
    except MultiPartException:
        raise InputError("invalid-request", "the form ends too early or is damaged; send it again") from None


def _header(texts: dict[str, str]) -> bool | None:
    """What a form's field `header` states, which is taken out of its texts."""
    stated = texts.pop("header", "")
    if stated not in STATED:
        raise InputError("invalid-request", "this is yes or no, or left out", ("header",))
    return STATED[stated]


@asynccontextmanager
async def _parts(request: Request, most_files: int) -> AsyncIterator[tuple[dict[str, str], dict[str, BinaryIO], dict[str, str]]]:
    """Texts and open files of a form by their field, and what the files are called."""
    async with request.form(max_files=most_files, max_fields=8, max_part_size=MAX_FIELD_BYTES) as form:
        texts: dict[str, str] = {}
        files: dict[str, BinaryIO] = {}
        names: dict[str, str] = {}
        for name, value in form.multi_items():
            if name in texts or name in files:
                raise InputError("invalid-job", "the form has a field twice", (name,))
            if isinstance(value, UploadFile):
                files[name], names[name] = value.file, value.filename or ""
            else:
                texts[name] = value
        yield texts, files, names
