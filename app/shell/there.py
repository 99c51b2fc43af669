"""Calls of a server by commands: errors of the client become the InputErrors of local work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from assay_client import AssayError, Client

from app.errors import PROBLEMS, InputError
from app.shell.here import settings_here

__all__ = ["calling", "job_progress"]

# Limit of seconds for an answer.
PATIENCE: Final = 600.0


@contextmanager
def calling(server: str) -> Iterator[Client]:
    """A client of a server; InputError if the server refuses a request or does not answer."""
    try:
        with Client(server, timeout=PATIENCE, api_key=settings_here().key or None) as client:
            yield client
    except AssayError as error:
        raise InputError(error.code if error.code in PROBLEMS else "invalid-request", str(error)) from None


def job_progress(progress: Callable[[str, float], None]) -> Callable[[Any], None]:
    """A function that shows a job's progress from its view: finished chunks, and then the last step."""

    def show(view: Any) -> None:
        step = view.get("progress")
        if step and view["done"] == view["total"]:
            progress(step["step"], step["share"] or 0.0)
        else:
            progress(view["state"], view["done"] / max(view["total"], 1))

    return show
