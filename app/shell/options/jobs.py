"""Options of `assay jobs`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, HeldServer, Priority

__all__ = [
    "JobsCancelOptions",
    "JobsListOptions",
    "JobsResultOptions",
    "JobsRetryOptions",
    "JobsShowOptions",
    "JobsSubmitOptions",
    "JobsWaitOptions",
]

Job = Annotated[str, argument(help="Job id.")]
ResultForm = Literal["json", "jsonl", "tsv", "annotated", "tmx"]


@dataclass(frozen=True, kw_only=True)
class JobsListOptions:
    """Options of `assay jobs list`."""

    state: Annotated[str | None, option(help="queued, running, succeeded, failed or cancelled.")] = None
    limit: Annotated[int, option(min=1, help="Number of jobs.")] = 100
    server: HeldServer = "http://127.0.0.1:8000"
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class JobsSubmitOptions:
    """Options of `assay jobs submit`."""

    file: Annotated[Path, argument(help="JSON of kind and params, as for POST /v1/jobs.")]
    priority: Priority = None
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class JobsShowOptions:
    """Options of `assay jobs show`."""

    job: Job
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class JobsWaitOptions:
    """Options of `assay jobs wait`."""

    job: Job
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class JobsCancelOptions:
    """Options of `assay jobs cancel`."""

    job: Job
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class JobsRetryOptions:
    """Options of `assay jobs retry`."""

    job: Job
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class JobsResultOptions:
    """Options of `assay jobs result`."""

    job: Job
    server: HeldServer = "http://127.0.0.1:8000"
    form: Annotated[ResultForm, option("--format", help="annotated: the document with scores; tmx: its corrections.")] = "json"
