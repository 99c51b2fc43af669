"""How calls become HTTP requests, and answers values or errors."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import httpx2

from assay_client.answers import JobAnswer

__all__ = [
    "OVER",
    "POLL_SECONDS",
    "AssayError",
    "Json",
    "Pair",
    "ResultFormat",
    "file_job_request",
    "pause_before",
    "plain_request",
    "problem_of",
    "quality_request",
    "rank_request",
    "read_answer",
    "succeeded",
]

Json = dict[str, Any]
Pair = tuple[str, str]
ResultFormat = Literal["json", "jsonl", "tsv", "annotated"]
OVER: Final = ("succeeded", "failed", "cancelled")
POLL_SECONDS: Final = 0.3


class AssayError(Exception):
    """What a server refused: `code` of docs/problems.md, `status` of HTTP, and the `place` in the request, if it has one."""

    def __init__(self, code: str, status: int, detail: str, place: str = "") -> None:
        super().__init__(f"{place}: {detail}" if place else detail)
        self.code, self.status, self.detail, self.place = code, status, detail, place


def plain_request(method: str, path: str, body: Mapping[str, Any] | None = None, **options: Any) -> Json:
    """The arguments of one HTTP request; fields that are None are not sent."""
    content = None if body is None else {name: value for name, value in body.items() if value is not None}
    return {"method": method, "url": path, **({} if content is None else {"json": content}), **options}


def _segments(pairs: Sequence[Pair | Mapping[str, Any]]) -> list[Json]:
    return [dict(each) if isinstance(each, Mapping) else {"source": each[0], "translation": each[1]} for each in pairs]


def quality_request(source: str, target: str, segments: Sequence[Pair | Mapping[str, Any]], options: Json) -> Json:
    """The call of POST /v1/quality."""
    body = {"source_language": source, "target_language": target, "segments": _segments(segments), **options}
    return plain_request("POST", "/v1/quality", body)


def rank_request(source: str, target: str, candidates: Sequence[tuple[str, Mapping[str, str]]], options: Json) -> Json:
    """The call of POST /v1/rank."""
    rows = [
        {"source": text, "translations": [{"system": system, "text": each} for system, each in systems.items()]}
        for text, systems in candidates
    ]
    return plain_request("POST", "/v1/rank", {"source_language": source, "target_language": target, "segments": rows, **options})


def file_job_request(
    path: Path, params: Mapping[str, Any], key: str | None, owner: str | None, webhook: str | None, source: Path | None
) -> Json:
    """The call that queues the quality job of a document."""
    fields = {"kind": "quality", "params": json.dumps(dict(params)), "owner": owner, "webhook": webhook}
    headers = {"Idempotency-Key": key} if key else {}
    data = {name: value for name, value in fields.items() if value is not None}
    files = {"file": (path.name, path.read_bytes())}
    if source is not None:
        files["source"] = (source.name, source.read_bytes())
    return {"method": "POST", "url": "/v1/jobs", "data": data, "files": files, "headers": headers}


def read_answer(answer: httpx2.Response) -> Any:
    """The answer's JSON; an AssayError where it is a problem."""
    if answer.is_success:
        return answer.json()
    raise problem_of(answer)


def problem_of(answer: httpx2.Response) -> AssayError:
    """The error that an answer tells of."""
    try:
        body = answer.json()
    except ValueError:
        body = {}
    code = str(body.get("type", "/problems/http-error")).rpartition("/")[2]
    return AssayError(code, answer.status_code, str(body.get("detail", answer.reason_phrase)), str(body.get("where", "")))


def pause_before(answer: httpx2.Response, attempt: int, attempts: int) -> float | None:
    """Seconds to wait before another attempt; None where there is to be none."""
    if answer.status_code not in (429, 503) or attempt >= attempts:
        return None
    said = answer.headers.get("retry-after", "")
    return float(said) if said.isdigit() else 0.5 * 2**attempt


def succeeded(view: JobAnswer) -> JobAnswer:
    """The job, if it ended well; an AssayError otherwise."""
    if view["state"] != "succeeded":
        error = view["error"] or {}
        code = str(error.get("type", f"/problems/job-{view['state']}")).rpartition("/")[2]
        raise AssayError(code, 0, str(error.get("detail", f"the job is {view['state']}")))
    return view
