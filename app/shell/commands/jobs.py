"""`assay jobs`: list, follow, cancel and fetch jobs of a server."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from app.errors import InputError
from app.shell.output import Format, print_json, print_rows, progress_bar, say
from app.shell.parameters import HERE, Form, HeldServer, Priority
from app.shell.there import calling, job_progress

__all__ = ["commands"]

jobs = typer.Typer(no_args_is_help=True, help="List, follow, cancel and fetch jobs of a server.", rich_markup_mode=None)
commands = typer.Typer(rich_markup_mode=None)
commands.add_typer(jobs, name="jobs")
ResultForm = Literal["json", "jsonl", "tsv", "annotated", "tmx"]
Job = Annotated[str, typer.Argument(help="Id of the job.")]


@jobs.command("list")
def list_jobs(
    state: Annotated[str | None, typer.Option(help="Only those that are queued, running, succeeded, failed or cancelled.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    server: HeldServer = HERE,
    form: Form = Format.TEXT,
) -> None:
    """The newest jobs first."""
    with calling(server) as client:
        rows: list[Any] = list(client.jobs(limit, state=state))
    if form is Format.JSON:
        print_json({"jobs": rows})
    else:
        print_rows(
            [{name: row[name] for name in ("id", "kind", "state", "priority", "done", "total", "created")} for row in rows], form
        )


@jobs.command()
def submit(
    file: Annotated[Path, typer.Argument(help="JSON with kind and params, as POST /v1/jobs takes it.")],
    priority: Priority = None,
    server: HeldServer = HERE,
) -> None:
    """Queue a job and print its id."""
    try:
        body = json.loads(file.read_bytes())
    except OSError as error:
        raise InputError("invalid-request", f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError("invalid-json", f"{file} cannot be read as JSON") from None
    if priority is not None and isinstance(body, dict):
        body["priority"] = priority
    with calling(server) as client:
        print(client.call("POST", "/v1/jobs", body)["id"])


@jobs.command()
def show(job: Job, server: HeldServer = HERE) -> None:
    """One job as JSON."""
    with calling(server) as client:
        print_json(client.job(job))


@jobs.command()
def wait(job: Job, server: HeldServer = HERE) -> None:
    """Wait for the end of a job; exit code 2 unless it succeeds."""
    with calling(server) as client, progress_bar("job") as progress:
        client.wait(job, on_progress=job_progress(progress))
    say("succeeded")


@jobs.command()
def cancel(job: Job, server: HeldServer = HERE) -> None:
    """Cancel a job that is not finished."""
    with calling(server) as client:
        print(client.cancel(job)["state"])


@jobs.command()
def retry(job: Job, server: HeldServer = HERE) -> None:
    """Queue a job again that failed or was cancelled, and print the new one's id; what is done is not repeated."""
    with calling(server) as client:
        print(client.retry(job)["id"])


@jobs.command()
def result(
    job: Job,
    server: HeldServer = HERE,
    form: Annotated[
        ResultForm,
        typer.Option("--format", help="annotated: the document with its scores; tmx: what was corrected."),
    ] = "json",
) -> None:
    """Print the result of a job that succeeded."""
    with calling(server) as client:
        content = client.result(job, form)
    sys.stdout.buffer.write(content)
