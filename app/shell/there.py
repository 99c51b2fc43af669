"""What a command has when a server works for it: the client, whose refusals are the errors that the engine here would raise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from assay_client import AssayError, Client

from app.errors import PROBLEMS, InputError
from app.shell.here import settings_here

__all__ = ["calling", "job_progress"]

# Seconds that an answer may take.
PATIENCE: Final = 600.0


@contextmanager
def calling(server: str) -> Iterator[Client]:
    """A client of a server; InputError where it refuses something or does not answer."""
    try:
        with Client(server, timeout=PATIENCE, api_key=settings_here().key or None) as client:
            yield client
    except AssayError as error:
        raise InputError(error.code if error.code in PROBLEMS else "invalid-request", str(error)) from None


def job_progress(progress: Callable[[str, float], None]) -> Callable[[Any], None]:
    """What shows how far a job is, given its view again and again: its chunks, and then the step at its end."""

    def show(view: Any) -> None:
        step = view.get("progress")
        if step and view["done"] == view["total"]:
            progress(step["step"], step["share"] or 0.0)
        else:
            progress(view["state"], view["done"] / max(view["total"], 1))

    return show
