"""Logs of the program: one line per record, as text or as JSON, without texts of users and without tokens."""

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
# Limit of causes that are logged with an exception.
MOST_CAUSES: Final = 8
Exc = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def install_logs(form: LogFormat, level: LogLevel, process: str = "") -> None:
    """Write records to standard error; libraries log warnings and errors only. An earlier logging setup stays.

    `process` is the name of a process other than the server.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_JsonLines(process) if form == "json" else _TextLines(process))
        root.addHandler(handler)
        root.setLevel(logging.WARNING)
    logging.getLogger("assay").setLevel(level.upper())


class _Lines(logging.Formatter):
    """Base of both forms of lines."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self.process = process

    def formatException(self, ei: Exc) -> str:  # noqa: N802  (logging's name)
        """Types and positions of exceptions. Messages may quote texts of users, so they are left out in requests and jobs."""
        shows_messages = request_here() is None and job_here() is None
        return "\n".join(_exception_lines(ei[1], shows_messages)) if ei[1] is not None else ""

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Unchanged stack, which has only lines of the program."""
        return stack_info


def _exception_lines(error: BaseException, shows_messages: bool) -> Iterator[str]:
    """Lines of an exception and its causes, the last exception first."""
    cause: BaseException | None = error
    for number in range(MOST_CAUSES):
        if cause is None:
            return
        name = f"{type(cause).__module__}.{type(cause).__qualname__}".removeprefix("builtins.")
        message = f": {_inert(str(cause))}" if shows_messages else ""
        yield f"{'' if number == 0 else 'because of '}{name}{message}"
        for frame in traceback.extract_tb(cause.__traceback__):
            yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _inert(text: str) -> str:
    """Text in one line, with escapes for line ends and control characters of terminals."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class _TextLines(_Lines):
    """Lines for people: time, level, message, and further fields as NAME=VALUE."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; lines of an exception follow, indented."""
        time = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        process = f"{self.process} {record.process} " if self.process else ""
        fields = "".join(f" {name}={_value(value)}" for name, value in _fields(record).items() if value is not None)
        line = f"{time},{int(record.msecs):03d} {process}{record.levelname} {_inert(record.getMessage())}{fields}"
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n  ".join([line, *trace.splitlines()])


class _JsonLines(_Lines):
    """Lines for programs: one JSON object per line, in ASCII."""

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
    """Further fields of a record, with its request or job."""
    request, job = request_here(), job_here()
    fields = {"request_id": request.id} if request is not None else {}
    return {**fields, **({"job": job} if job is not None else {}), **getattr(record, "fields", {})}


def _value(value: object) -> str:
    text = _inert(str(value))
    return text if text and not any(c in ' "=' for c in text) else json.dumps(text)
