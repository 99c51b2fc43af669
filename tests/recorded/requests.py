"""The recorded requests: data in files, and what a client sends for each."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

__all__ = ["REQUESTS", "RecordedRequest", "filled", "read_requests", "repeated", "sent"]

Json = dict[str, Any]
REQUESTS: Final = Path(__file__).parent / "requests.jsonl"
SEGMENTS: Final = Path(__file__).parent / "segments.jsonl"
PLACEHOLDER: Final = re.compile(r"\{([a-z0-9.:-]+)\}")
TEXTS: Final = ("source", "translation")


@dataclass(frozen=True)
class RecordedRequest:
    """One request. Of `json`, `text`, `base64` and `form` at most one is given.

    With `each`, a list of members, it is sent once for each of them, put into `json`. With `wait`, it makes a job whose end is
    waited for, and `results` are then fetched. With `begun` only that a worker has taken the job is waited for.
    """

    name: str
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    each: Any = None
    text: Any = None
    base64: str | None = None
    form: Mapping[str, Any] | None = None
    wait: bool = False
    begun: bool = False
    results: tuple[str, ...] = ()


def read_requests(path: Path = REQUESTS) -> list[RecordedRequest]:
    """All requests in their order; ValueError where two have one name."""
    found = [RecordedRequest(**{**row, "results": tuple(row.get("results", ()))}) for row in _rows(path)]
    if len({each.name for each in found}) < len(found):
        raise ValueError("two requests have one name")
    return found


def _rows(path: Path) -> Iterator[Json]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)


@cache
def _segments() -> Mapping[str, Sequence[Json]]:
    """Rows of real text by language pair."""
    found: dict[str, list[Json]] = {}
    for row in _rows(SEGMENTS):
        found.setdefault(row["pair"], []).append(row)
    return found


def _rows_of(pair: str, begin: int, end: int, *fields: str) -> list[Json]:
    """Segments as requests have them, with more fields of their rows; ``label=hter`` sends one under another name."""
    names = [*((name, name) for name in TEXTS), *((each.partition("=")[0], each.rpartition("=")[2]) for each in fields)]
    return [{name: row[column] for name, column in names} for row in _segments()[pair][begin:end]]


def _column_of(pair: str, begin: int, end: int, name: str) -> list[str]:
    return [row[name] for row in _segments()[pair][begin:end]]


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """The value as it is sent: what earlier answers said in place of ``{name}``, rows of text and repetitions written out."""
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [filled(each, known) for each in value]
    if not isinstance(value, dict):
        return value
    if "$segments" in value:
        return _rows_of(*value["$segments"])
    if "$column" in value:
        return _column_of(*value["$column"])
    if "$repeat" in value:
        part, times = value["$repeat"]
        return filled(part, known) * times
    return {filled(key, known): filled(each, known) for key, each in value.items()}


def repeated(request: RecordedRequest) -> list[RecordedRequest]:
    """The requests that are sent for this one."""
    if request.each is None:
        return [request]
    return [replace(request, json={**request.json, **each}, each=None) for each in filled(request.each, {})]


def sent(request: RecordedRequest, known: Mapping[str, str]) -> Json:
    """The arguments with which a client sends a request."""
    arguments: Json = {
        "method": request.method,
        "url": filled(request.path, known),
        "params": filled(request.query, known),
        "headers": filled(request.headers, known),
    }
    if request.json is not None:
        # Half a surrogate pair can only be sent escaped.
        arguments["content"] = json.dumps(filled(request.json, known)).encode("ascii")
        arguments["headers"] = {"Content-Type": "application/json", **arguments["headers"]}
    elif request.text is not None:
        arguments["content"] = filled(request.text, known).encode()
    elif request.base64 is not None:
        arguments["content"] = base64.b64decode(request.base64)
    elif request.form is not None:
        arguments["data"] = filled(request.form.get("fields", {}), known)
        arguments["files"] = [_file(each, known) for each in request.form.get("files", ())]
    return arguments


def _file(described: Mapping[str, Any], known: Mapping[str, str]) -> tuple[str, tuple[str, bytes]]:
    encoded = described.get("base64")
    content = filled(described["text"], known).encode() if encoded is None else base64.b64decode(encoded)
    return described["field"], (described["name"], content)
