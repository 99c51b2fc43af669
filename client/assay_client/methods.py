"""Methods of both clients from descriptions of calls, with equal parameters and answers."""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from assay_client.answers import JobAnswer
from assay_client.requests import Call, JobCall, OnProgress

__all__ = ["async_called", "async_worked", "called", "worked"]

P = ParamSpec("P")
T = TypeVar("T")


class Sender(Protocol):
    """A synchronous client."""

    def send(self, call: Call[T]) -> T:
        """The answer to a call."""

    def run(self, kind: str, params: Mapping[str, Any], on_progress: OnProgress | None = None) -> JobAnswer:
        """Run a job to its successful end; return its view."""


class AsyncSender(Protocol):
    """An asynchronous client."""

    async def send(self, call: Call[T]) -> T:
        """The answer to a call."""

    async def run(self, kind: str, params: Mapping[str, Any], on_progress: OnProgress | None = None) -> JobAnswer:
        """Run a job to its successful end; return its view."""


def called(build: Callable[P, Call[T]]) -> Callable[Concatenate[Sender, P], T]:
    """The method that sends a call and waits for its answer."""

    def method(client: Sender, /, *args: P.args, **options: P.kwargs) -> T:
        return client.send(build(*args, **options))

    _describe(method, build)
    return method


def async_called(build: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, T]]:
    """The coroutine method that sends a call."""

    async def method(client: AsyncSender, /, *args: P.args, **options: P.kwargs) -> T:
        return await client.send(build(*args, **options))

    _describe(method, build)
    return method


def worked(build: Callable[P, JobCall[T]]) -> Callable[Concatenate[Sender, P], T]:
    """The method that queues a job, waits for its end and returns its summary."""

    def method(client: Sender, /, *args: P.args, **options: P.kwargs) -> T:
        job = build(*args, **options)
        summary: Any = client.run(job.kind, job.params, job.on_progress)["summary"]
        return summary  # type: ignore[no-any-return]

    _describe(method, build)
    return method


def async_worked(build: Callable[P, JobCall[T]]) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, T]]:
    """The coroutine method that queues a job, awaits its end and returns its summary."""

    async def method(client: AsyncSender, /, *args: P.args, **options: P.kwargs) -> T:
        job = build(*args, **options)
        summary: Any = (await client.run(job.kind, job.params, job.on_progress))["summary"]
        return summary  # type: ignore[no-any-return]

    _describe(method, build)
    return method


def _describe(method: Any, build: Callable[..., Any]) -> None:
    """Set the name, documentation and signature for `help`."""
    method.__name__, method.__qualname__, method.__doc__ = build.__name__, build.__qualname__, build.__doc__
    signature = inspect.signature(build)
    client = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = signature.replace(
        parameters=[client, *signature.parameters.values()], return_annotation=inspect.Signature.empty
    )
