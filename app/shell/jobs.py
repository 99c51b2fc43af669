"""`assay jobs`: list, follow, cancel and fetch jobs of a server."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from app.errors import InputError
from app.shell.output import Format, print_json, print_rows, say
from app.shell.session import call_server

__all__ = ["commands", "submit_and_wait"]

commands = typer.Typer(no_args_is_help=True, help="List, follow, cancel and fetch jobs of a server.", rich_markup_mode=None)
Server = Annotated[str, typer.Option(envvar="ASSAY_SERVER", help="Address of the server.")]
HERE = "http://127.0.0.1:8000"
POLL_SECONDS = 0.3
OVER = ("succeeded", "failed", "cancelled")


def submit_and_wait(server: str, kind: str, params: dict[str, Any]) -> dict[str, Any]:
    """Run a job on a server to its end; InputError if it does not succeed."""
    job = call_server(server, "POST", "/v1/jobs", {"kind": kind, "params": params})
    return _wait(server, job["id"])


def _wait(server: str, job: str) -> dict[str, Any]:
    terminal = sys.stderr.isatty()
    while True:
        view: dict[str, Any] = call_server(server, "GET", f"/v1/jobs/{job}")
        if terminal:
            print(f"\r{view['state']} {view['done']}/{view['total']}", end="", file=sys.stderr)
        if view["state"] in OVER:
            break
        time.sleep(POLL_SECONDS)
    if terminal:
        print(file=sys.stderr)
    if view["state"] != "succeeded":
        raise InputError("invalid-job", (view["error"] or {}).get("detail", f"the job is {view['state']}"))
    return view


@commands.command("list")
def list_jobs(server: Server = HERE, form: Annotated[Format, typer.Option("--format")] = Format.TEXT) -> None:
    """The newest jobs first."""
    jobs = call_server(server, "GET", "/v1/jobs")["jobs"]
    if form is Format.JSON:
        print_json({"jobs": jobs})
    else:
        print_rows([{name: job[name] for name in ("id", "kind", "state", "done", "total", "created")} for job in jobs], form)


@commands.command()
def submit(
    file: Annotated[Path, typer.Argument(help="JSON with kind and params, as POST /v1/jobs takes it.")], server: Server = HERE
) -> None:
    """Queue a job and print its id."""
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError("invalid-json", f"{file} cannot be read as JSON") from None
    print(call_server(server, "POST", "/v1/jobs", body)["id"])


@commands.command()
def show(job: str, server: Server = HERE) -> None:
    """One job as JSON."""
    print_json(call_server(server, "GET", f"/v1/jobs/{job}"))


@commands.command()
def wait(job: str, server: Server = HERE) -> None:
    """Wait for the end of a job; exit code 2 unless it succeeds."""
    _wait(server, job)
    say("succeeded")


@commands.command()
def cancel(job: str, server: Server = HERE) -> None:
    """Cancel a job that is not finished."""
    print(call_server(server, "DELETE", f"/v1/jobs/{job}")["state"])


@commands.command()
def result(
    job: str, server: Server = HERE, form: Annotated[str, typer.Option("--format", help="json, jsonl or tsv.")] = "json"
) -> None:
    """Print the result of a job that succeeded."""
    text = call_server(server, "GET", f"/v1/jobs/{job}/result?format={form}", read=lambda answer: answer.text)
    sys.stdout.write(text)
