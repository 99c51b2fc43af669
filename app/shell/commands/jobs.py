"""`assay jobs`: list, follow, cancel and fetch jobs of a server."""

import json
import sys
from typing import Any

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.options.jobs import (
    JobsCancelOptions,
    JobsListOptions,
    JobsResultOptions,
    JobsRetryOptions,
    JobsShowOptions,
    JobsSubmitOptions,
    JobsWaitOptions,
)
from app.shell.output import print_json, print_rows, progress_bar, say
from app.shell.there import calling, job_progress

__all__ = ["cancel", "list_jobs", "result", "retry", "show", "submit", "wait"]


def list_jobs(options: JobsListOptions) -> None:
    """The newest jobs first."""
    with calling(options.server) as client:
        rows: list[Any] = list(client.jobs(options.limit, state=options.state))
    if options.form is Format.JSON:
        print_json({"jobs": rows})
    else:
        print_rows(
            [{name: row[name] for name in ("id", "kind", "state", "priority", "done", "total", "created")} for row in rows],
            options.form,
        )


def submit(options: JobsSubmitOptions) -> None:
    """Queue a job and print its id."""
    try:
        body = json.loads(options.file.read_bytes())
    except OSError as error:
        raise InputError("invalid-request", f"{options.file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError("invalid-json", f"{options.file} cannot be read as JSON") from None
    if options.priority is not None and isinstance(body, dict):
        body["priority"] = options.priority
    with calling(options.server) as client:
        print(client.call("POST", "/v1/jobs", body)["id"])


def show(options: JobsShowOptions) -> None:
    """One job as JSON."""
    with calling(options.server) as client:
        print_json(client.job(options.job))


def wait(options: JobsWaitOptions) -> None:
    """Wait for the end of a job; exit code 2 unless it succeeds."""
    with calling(options.server) as client, progress_bar("job") as progress:
        client.wait(options.job, on_progress=job_progress(progress))
    say("succeeded")


def cancel(options: JobsCancelOptions) -> None:
    """Cancel a job that is not finished."""
    with calling(options.server) as client:
        print(client.cancel(options.job)["state"])


def retry(options: JobsRetryOptions) -> None:
    """Queue a job again that failed or was cancelled, and print the new one's id; what is done is not repeated."""
    with calling(options.server) as client:
        print(client.retry(options.job)["id"])


def result(options: JobsResultOptions) -> None:
    """Print the result of a job that succeeded."""
    with calling(options.server) as client:
        content = client.result(options.job, options.form)
    sys.stdout.buffer.write(content)
