"""Descriptions of calls, for synchronous and asynchronous clients."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx2

from assay_client.answers import JobAnswer
from assay_client.errors import AssayError, check_answer

__all__ = ["Call", "Candidates", "JobCall", "OnProgress", "Segment", "authorised", "encoded", "post", "read_json", "segment_rows"]

T = TypeVar("T")
# Source and translation, or the fields of a segment as the server takes them.
Segment = tuple[str, str] | Mapping[str, Any]
# A source and its translations by system, or the fields of such a segment.
Candidates = tuple[str, Mapping[str, str]] | Mapping[str, Any]
# Function that takes the view of a job repeatedly during the wait.
OnProgress = Callable[[JobAnswer], object]


def read_json(answer: httpx2.Response) -> Any:
    """The value that an answer holds."""
    return answer.json()


def authorised(key: str | None) -> dict[str, str]:
    """Headers of calls with a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request and the reader of its answer. Only `repeatable` requests are sent again after a broken connection."""

    method: str
    path: str
    body: Mapping[str, object] | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    read: Callable[[httpx2.Response], T] = read_json
    repeatable: bool = True

    def arguments(self) -> dict[str, Any]:
        """Arguments for httpx2. Fields that are None are omitted, so the server chooses their values."""
        arguments: dict[str, Any] = {
            "method": self.method,
            "url": self.path,
            "params": _sent_fields(self.params) or None,
            "headers": dict(self.headers),
        }
        if self.files:
            return {**arguments, "data": dict(self.form), "files": dict(self.files)}
        if self.body is None:
            return arguments
        arguments["headers"]["Content-Type"] = "application/json"
        return {**arguments, "content": encoded(_sent_fields(self.body)).encode()}

    def answer(self, response: httpx2.Response) -> T:
        """The value of a response; AssayError if it is a problem or no answer of Assay."""
        try:
            return self.read(check_answer(response))
        except ValueError:
            raise AssayError("http-error", response.status_code, "the answer is not JSON") from None


@dataclass(frozen=True)
class JobCall(Generic[T]):
    """A request for a job, whose summary is the answer."""

    kind: str
    params: Mapping[str, object]
    on_progress: OnProgress | None = None


def post(path: str, body: Mapping[str, object], repeatable: bool = True) -> Call[Any]:
    """A request with a body; its answer is JSON."""
    return Call("POST", path, body, repeatable=repeatable)


def encoded(value: object) -> str:
    """A value as JSON, with mappings as objects and iterables as lists. ValueError for NaN and infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def _sent_fields(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _plain(value: object) -> object:
    """A mapping as a dictionary, another iterable as a list."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


def segment_rows(segments: Sequence[Segment] | Sequence[Candidates]) -> list[Mapping[str, Any]]:
    """Segments as the server takes them."""
    return [segment if isinstance(segment, Mapping) else _row(*segment) for segment in segments]


def _row(source: str, translation: str | Mapping[str, str]) -> dict[str, Any]:
    if isinstance(translation, str):
        return {"source": source, "translation": translation}
    return {"source": source, "translations": [{"system": system, "text": text} for system, text in translation.items()]}
