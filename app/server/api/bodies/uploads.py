"""Multipart forms with files, which stay open, and on disk, while they are worked on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO, Final

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from app.errors import InputError
from app.operations.parts.names import with_tags
from app.server.api.bodies.json_bodies import read_json
from app.server.service import JobForm
from app.text.reading.decoder_files import DECODER_FILES
from app.text.side_information import kinds_of_files

__all__ = ["HEADER", "KIND", "open_files", "open_form"]

MAX_FIELD_BYTES = 1_000_000
MOST_FIELDS: Final = 8
HEADER_VALUES: Final = {"yes": True, "no": False, "": None}
RANK: Final = "rank"
# Kinds of jobs that read a document differently.
KINDS: Final = ("quality", RANK)
KIND: Final = {"type": "string", "enum": list(KINDS), "description": "Job that the file is for; quality if left out"}
# The field as documentation has it.
HEADER: Final = {
    "type": "string",
    "enum": ["yes", "no"],
    "description": "Whether the first row of a table is a heading; told otherwise",
}


@asynccontextmanager
async def open_form(request: Request, max_systems: int) -> AsyncIterator[JobForm]:
    """Read `kind`, `params`, `owner`, `webhook`, `priority`, `header`; other fields are files by their role.

    Files: `file` (a table or a document; `source` goes with an n-best list), or `source` and `translation` (lines). Scores take
    one `system:NAME` and `reference:NAME` each (lines). Side information of `kinds_of_files` (lines) goes with a table or with
    lines, and so do `DECODER_FILES`.
    """
    most_files = 2 * max_systems + 1 + len(kinds_of_files()) + len(DECODER_FILES)
    async with _parts(request, most_files, "invalid-job") as (texts, files, names):
        params = read_json(texts.pop("params", "{}").encode(), "the field params is not JSON", ("params",))
        kind = texts.pop("kind", None)
        owner, webhook, priority = (texts.pop(name, "") or None for name in ("owner", "webhook", "priority"))
        header = _header(texts)
        if kind is None or not isinstance(params, dict) or texts:
            raise InputError("invalid-job", "a form has kind, params (an object), owner, webhook, priority, header and files")
        yield JobForm(kind, with_tags(params), files, names, owner, webhook, priority, header)


@asynccontextmanager
async def open_files(request: Request) -> AsyncIterator[tuple[dict[str, BinaryIO], bool | None, bool]]:
    """The files of a form, the statement that a table has a header, and True if the file is for a ranking."""
    async with _parts(request, 2, "invalid-request") as (texts, files, _):
        header, kind = _header(texts), texts.pop("kind", "quality")
        if texts:
            raise InputError("invalid-request", "the form has the fields file, source, translation, header and kind only")
        if kind not in KINDS:
            raise InputError("invalid-request", f"a file is for a job of kind {' or '.join(KINDS)}", ("kind",))
        yield files, header, kind == RANK


def _header(texts: dict[str, str]) -> bool | None:
    """Value of a form's field `header`, removed from its texts."""
    header_text = texts.pop("header", "")
    if header_text not in HEADER_VALUES:
        raise InputError("invalid-request", "header is yes or no; leave it out to let Assay decide", ("header",))
    return HEADER_VALUES[header_text]


@asynccontextmanager
async def _parts(
    request: Request, most_files: int, code: str
) -> AsyncIterator[tuple[dict[str, str], dict[str, BinaryIO], dict[str, str]]]:
    """Texts, open files and file names of a form, by field. InputError with `code` for an invalid form."""
    try:
        form = await request.form(max_files=most_files, max_fields=MOST_FIELDS, max_part_size=MAX_FIELD_BYTES)
    except (MultiPartException, HTTPException) as error:
        # Starlette raises one of two exceptions for an invalid form. Other HTTP exceptions come from elsewhere.
        if isinstance(error, HTTPException) and type(error) is not HTTPException:
            raise
        message_text = error.message if isinstance(error, MultiPartException) else error.detail
        raise InputError(code, _refusal(message_text, most_files)) from None
    try:
        texts: dict[str, str] = {}
        files: dict[str, BinaryIO] = {}
        names: dict[str, str] = {}
        for name, value in form.multi_items():
            if name in texts or name in files:
                raise InputError("invalid-job", "the form repeats a field; send it once", (name,))
            if isinstance(value, UploadFile):
                files[name], names[name] = value.file, value.filename or ""
            else:
                texts[name] = value
        yield texts, files, names
    finally:
        await form.close()


def _refusal(message_text: str, most_files: int) -> str:
    """Error of a form and its accepted fields, from the parser's message."""
    if message_text.startswith("Too many files"):
        return f"the form has more than {most_files} files"
    if message_text.startswith("Too many fields"):
        return f"the form has more than {MOST_FIELDS} fields beside its files"
    if "exceeded maximum size" in message_text:
        return f"a field of the form has more than {MAX_FIELD_BYTES} bytes; send long texts as files"
    return "the form ends too early or is damaged; send it again"
