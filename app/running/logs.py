"""What the program says of itself: one line a record, as text or as JSON; no texts of users, no tokens, no lines but ours."""

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Literal

from app.running.request_context import job_here, request_here

__all__ = ["ACCESS", "LogFormat", "LogLevel", "install_logs"]

LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
# The log of requests.
ACCESS: Final = "assay.access"
# Exceptions behind an exception that are shown.
MOST_CAUSES: Final = 8
Exc = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def install_logs(form: LogFormat, level: LogLevel, process: str = "") -> None:
    """Write records to standard error; libraries speak of what is wrong alone. Where somebody set logging up already, it stays.

    `process` is what a process other than the server is called.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_JsonLines(process) if form == "json" else _TextLines(process))
        root.addHandler(handler)
        root.setLevel(logging.WARNING)
    logging.getLogger("assay").setLevel(level.upper())


class _Lines(logging.Formatter):
    """What both forms share."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self.process = process

    def formatException(self, ei: Exc) -> str:  # noqa: N802  (logging's name)
        """Types and places. Messages may quote what was sent, so they are shown only of what no request and no job led to."""
        quoting = request_here() is None and job_here() is None
        return "\n".join(_told(ei[1], quoting)) if ei[1] is not None else ""

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """As it is: it holds lines of the program alone."""
        return stack_info


def _told(error: BaseException, quoting: bool) -> Iterator[str]:
    """An exception and what it came of, the last first."""
    cause: BaseException | None = error
    for number in range(MOST_CAUSES):
        if cause is None:
            return
        name = f"{type(cause).__module__}.{type(cause).__qualname__}".removeprefix("builtins.")
        message = f": {_inert(str(cause))}" if quoting else ""
        yield f"{'' if number == 0 else 'because of '}{name}{message}"
        for frame in traceback.extract_tb(cause.__traceback__):
            yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _inert(text: str) -> str:
    """The text in one line: what could begin another, or move a terminal's cursor, is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class _TextLines(_Lines):
    """For people: time, level, message, and what else is known as NAME=VALUE."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; those of an exception are indented."""
        when = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        process = f"{self.process} {record.process} " if self.process else ""
        fields = "".join(f" {name}={_value(value)}" for name, value in _fields(record).items() if value is not None)
        line = f"{when},{int(record.msecs):03d} {process}{record.levelname} {_inert(record.getMessage())}{fields}"
        told = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n  ".join([line, *told.splitlines()])


class _JsonLines(_Lines):
    """For programs: one object a line, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        content: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
            **_fields(record),
        }
        if self.process:
            content["role"] = self.process
        if record.exc_info:
            content["exception"] = self.formatException(record.exc_info)
        return json.dumps(content, default=str)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """What a record says beside its message, and whom it is about."""
    request, job = request_here(), job_here()
    about = {"request_id": request.id} if request is not None else {}
    return {**about, **({"job": job} if job is not None else {}), **getattr(record, "fields", {})}


def _value(value: object) -> str:
    text = _inert(str(value))
    return text if text and not any(c in ' "=' for c in text) else json.dumps(text)
