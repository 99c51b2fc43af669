"""Multipart forms with files: open, or read into the same content that a JSON body of POST /v1/jobs has."""

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from app.errors import InputError
from app.text.side_information import Place, Read, kinds_beside
from app.text.tables import decode_text, read_table, split_lines

__all__ = ["JobForm", "file_name", "form_content", "open_files", "open_form"]

MAX_FIELD_BYTES = 1_000_000
BLOCK = 1 << 20
LONGEST_NAME = 100


@dataclass(frozen=True)
class JobForm:
    """A form of POST /v1/jobs with its files still open."""

    kind: str
    params: dict[str, Any]
    files: dict[str, BinaryIO]
    names: dict[str, str]
    owner: str | None = None
    webhook: str | None = None

    def digest(self) -> str:
        """What tells this request from others; the files are read and set to their beginnings again."""
        digest = hashlib.sha256(json.dumps([self.kind, self.params, self.owner, self.webhook], sort_keys=True).encode())
        for name, file in sorted(self.files.items()):
            digest.update(f"\0{name}\0".encode())
            while block := file.read(BLOCK):
                digest.update(block)
            file.seek(0)
        return digest.hexdigest()


def file_name(name: str | None) -> str:
    """A file's name without folders and what no name should have."""
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if c.isprintable() and c not in '<>:"|?*')[-LONGEST_NAME:].strip(". ")
    return kept or "document"


@asynccontextmanager
async def open_form(request: Request, max_systems: int) -> AsyncIterator[JobForm]:
    """Read `kind`, `params`, `owner` and `webhook`; the files stay open, and on disk, until the end.

    Files: `file` (a table or a document; `source` goes with an n-best list), or `source` and `translation` (lines), or
    for scores one `system:NAME` and `reference:NAME` each (lines); `log_probs` (numbers on lines) and `tokens` (those of
    the MT system, on lines) go with a table or with lines.
    """
    async with _parts(request, 2 * max_systems + 3) as (texts, files, names):
        try:
            params = json.loads(texts.pop("params", "{}"))
        except (ValueError, RecursionError):
            raise InputError("invalid-json", "the field params is not JSON", ("params",)) from None
        kind = texts.pop("kind", None)
        owner, webhook = texts.pop("owner", "") or None, texts.pop("webhook", "") or None
        if kind is None or not isinstance(params, dict) or texts:
            raise InputError("invalid-job", "a form has kind, params (a JSON object), owner, webhook and files")
        yield JobForm(kind, params, files, names, owner, webhook)


@asynccontextmanager
async def open_files(request: Request) -> AsyncIterator[dict[str, BinaryIO]]:
    """The files of a form that has nothing else."""
    try:
        async with _parts(request, 2) as (texts, files, _):
            if texts:
                raise InputError("invalid-request", "the form has files alone: file, source, translation")
            yield files
    except MultiPartException:
        raise InputError("invalid-request", "the form ends too early or is damaged; send it again") from None


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


def form_content(form: JobForm) -> dict[str, Any]:
    """The form as the content that a JSON body has; its files are read whole."""
    files = {name: file.read() for name, file in form.files.items()}
    params = dict(form.params)
    if form.kind == "score":
        params |= _named_lists(files)
    elif form.kind == "rank":
        params["segments"] = _candidates(files)
    else:
        params["segments"] = _segments(files, form.kind)
    return {"kind": form.kind, "params": params}


def _lines(raw: bytes, name: str) -> list[str]:
    lines = split_lines(decode_text(raw, name))
    if not lines:
        raise InputError("empty-input", "this file is empty; one segment a line is expected", (name,))
    return lines


def _segments(files: dict[str, bytes], kind: str) -> list[dict[str, Any]]:
    """Rows of `file`, or of `source` and `translation` side by side."""
    beside = {name: files.pop(name) for name in kinds_beside() if name in files}
    if set(files) == {"file"}:
        table = read_table(files["file"], "file")
        columns = {name: list(table[name]) for name in ("source", "translation")}
        for name in ("label", *(kind.name for kind in kinds_beside().values())):
            if name in table.columns:
                columns[name] = list(table[name])
    elif set(files) == {"source", "translation"}:
        columns = {name: _lines(files[name], name) for name in ("source", "translation")}
    else:
        raise InputError("invalid-job", "send either file (a table), or source and translation (lines of text)")
    for name, raw in beside.items():
        columns[kinds_beside()[name].name] = _lines(raw, name)
    size = len(columns["source"])
    for name, values in columns.items():
        if len(values) != size:
            raise InputError("unequal-lengths", f"{name} has {len(values)} lines but source has {size}", (name,))
    read: dict[str, Read] = {"label": _number, **{kind.name: kind.read for kind in kinds_beside().values() if kind.read}}
    return [
        {name: read[name](values[i], ("segments", i, name)) if name in read else values[i] for name, values in columns.items()}
        for i in range(size)
    ]


def _number(cell: str, place: Place) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError("invalid-table", f"{place[-1]} must be a number", place) from None


def _named_lists(files: dict[str, bytes]) -> dict[str, dict[str, list[str]]]:
    named: dict[str, dict[str, list[str]]] = {"systems": {}, "references": {}}
    for field, raw in files.items():
        kind, _, name = field.partition(":")
        if kind not in ("system", "reference") or not name:
            raise InputError("invalid-job", "files of a score are called system:NAME and reference:NAME")
        named[f"{kind}s"][name] = _lines(raw, kind)
    return named


def _candidates(files: dict[str, bytes]) -> list[dict[str, Any]]:
    source = _lines(files.pop("source", b""), "source")
    systems = {}
    for field, raw in files.items():
        kind, _, name = field.partition(":")
        if kind != "system" or not name:
            raise InputError("invalid-job", "files of a ranking are called source and system:NAME")
        systems[name] = _lines(raw, "system")
        if len(systems[name]) != len(source):
            raise InputError("unequal-lengths", f"a system has {len(systems[name])} lines but source has {len(source)}")
    return [
        {"source": text, "translations": [{"system": name, "text": lines[i]} for name, lines in systems.items()]}
        for i, text in enumerate(source)
    ]
