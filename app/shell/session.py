"""Where a command's work is done: an engine loaded here, or a server somewhere."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx2

from app.engine import Engine
from app.errors import InputError
from app.metrics import Metric, use_sentencepiece
from app.settings import Settings

__all__ = ["call_server", "engine_here", "metrics_here", "settings_here"]


@cache
def settings_here() -> Settings:
    """The settings of the environment, which metrics are told of too."""
    settings = Settings()
    use_sentencepiece(settings.sentencepiece_model)
    return settings


@cache
def engine_here() -> Engine:
    """The engine, opened on first use; it loads what is asked for."""
    settings = settings_here()
    engine = Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir)
    if not engine.resources.pairs and not engine.models:
        raise InputError("not-ready", f"nothing is loaded: there are no resources in {settings.resources_dir}")
    return engine


def metrics_here(names: Sequence[str]) -> dict[str, Metric]:
    """Metrics by name, with the trained ones of this machine; resources are not needed for them."""
    settings = settings_here()
    return Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir).metrics(names)


@contextmanager
def _client(server: str) -> Iterator[httpx2.Client]:
    try:
        with httpx2.Client(base_url=server, timeout=600.0) as client:
            yield client
    except (httpx2.TransportError, httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise InputError("invalid-request", f"{server} did not answer: {error}") from None


def call_server(server: str, method: str, path: str, body: Any = None, read: Callable[[Any], Any] | None = None) -> Any:
    """The server's JSON answer; a problem becomes the InputError that the engine here would have raised."""
    with _client(server) as client:
        answer = client.request(method, path, json=body) if body is not None else client.request(method, path)
    if answer.status_code >= 400:
        try:
            problem = answer.json()
            code = str(problem["type"]).rpartition("/")[2]
            detail = f"{problem['where']}: {problem['detail']}" if "where" in problem else str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            code, detail = "internal-error", f"{server} answered {answer.status_code}"
        raise InputError(code, detail)
    return read(answer) if read else answer.json()
