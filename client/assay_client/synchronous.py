"""Calls one after another."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx2

from assay_client.answers import JobAnswer, QualityAnswer, RankAnswer, ScoreAnswer
from assay_client.requests import (
    OVER,
    POLL_SECONDS,
    Json,
    Pair,
    ResultFormat,
    file_job_request,
    pause_before,
    plain_request,
    problem_of,
    quality_request,
    rank_request,
    read_answer,
    succeeded,
)

__all__ = ["Client"]


class Client:
    """Calls one after another. `attempts` counts how often a call is made in all while the server is overloaded."""

    def __init__(
        self,
        address: str = "http://localhost:8000",
        timeout: float = 60.0,
        attempts: int = 4,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._http = httpx2.Client(base_url=address, timeout=timeout, transport=transport)
        self._attempts = attempts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, request: Json) -> httpx2.Response:
        for attempt in range(1, self._attempts + 1):
            answer = self._http.request(**request)
            pause = pause_before(answer, attempt, self._attempts)
            if pause is None:
                break
            time.sleep(pause)
        return answer

    def quality(self, source: str, target: str, segments: Sequence[Pair | Mapping[str, Any]], **options: Any) -> QualityAnswer:
        """Predicted quality of (source, translation) pairs; options are fields of POST /v1/quality, such as `words=True`."""
        answer: QualityAnswer = read_answer(self._send(quality_request(source, target, segments, options)))
        return answer

    def rank(self, source: str, target: str, candidates: Sequence[tuple[str, Mapping[str, str]]], **options: Any) -> RankAnswer:
        """Order translations of each source: ``[(source, {system: text})]``."""
        answer: RankAnswer = read_answer(self._send(rank_request(source, target, candidates, options)))
        return answer

    def score(
        self, metrics: Sequence[str], systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]], **options: Any
    ) -> ScoreAnswer:
        """Score named systems against named references."""
        body = {"metrics": list(metrics), "systems": systems, "references": references, **options}
        answer: ScoreAnswer = read_answer(self._send(plain_request("POST", "/v1/score", body)))
        return answer

    def feedback(self, model: str, segments: Sequence[Mapping[str, Any]], origin: str = "") -> Json:
        """Post-edits or scores of translations that `model` answered for."""
        body = {"model": model, "segments": [dict(each) for each in segments], "origin": origin}
        answer: Json = read_answer(self._send(plain_request("POST", "/v1/feedback", body)))
        return answer

    def models(self) -> list[Json]:
        """Cards of all predictors."""
        cards: list[Json] = read_answer(self._send(plain_request("GET", "/v1/models")))["models"]
        return cards

    def submit(self, kind: str, params: Mapping[str, Any], key: str | None = None, **origin: str | None) -> JobAnswer:
        """Queue a job; one `key` makes one job, however often it is sent. `owner` and `webhook` may be given."""
        headers = {"Idempotency-Key": key} if key else {}
        request = plain_request("POST", "/v1/jobs", {"kind": kind, "params": dict(params), **origin}, headers=headers)
        job: JobAnswer = read_answer(self._send(request))
        return job

    def submit_file(
        self,
        path: Path,
        params: Mapping[str, Any],
        key: str | None = None,
        owner: str | None = None,
        webhook: str | None = None,
        source: Path | None = None,
    ) -> JobAnswer:
        """Queue the quality job of a document; its languages may be left to the file, `source` goes with an n-best list."""
        job: JobAnswer = read_answer(self._send(file_job_request(path, params, key, owner, webhook, source)))
        return job

    def job(self, job: str) -> JobAnswer:
        """One job."""
        answer: JobAnswer = read_answer(self._send(plain_request("GET", f"/v1/jobs/{job}")))
        return answer

    def jobs(self, state: str | None = None, page: int = 100) -> Iterator[JobAnswer]:
        """All jobs, the newest first, fetched page by page."""
        after: str | None = None
        while True:
            query = {name: value for name, value in (("limit", page), ("state", state), ("after", after)) if value is not None}
            answer = read_answer(self._send(plain_request("GET", "/v1/jobs", params=query)))
            yield from answer["jobs"]
            after = answer["next"]
            if after is None:
                return

    def cancel(self, job: str) -> JobAnswer:
        """Cancel a job that is not finished."""
        answer: JobAnswer = read_answer(self._send(plain_request("DELETE", f"/v1/jobs/{job}")))
        return answer

    def wait(self, job: str) -> JobAnswer:
        """The job once it has ended; an AssayError unless it succeeded."""
        while (view := self.job(job))["state"] not in OVER:
            time.sleep(POLL_SECONDS)
        return succeeded(view)

    def result(self, job: str, form: ResultFormat = "json") -> bytes:
        """The result of a job that succeeded; `annotated` is the document with the scores in it."""
        answer = self._send(plain_request("GET", f"/v1/jobs/{job}/result", params={"format": form}))
        if not answer.is_success:
            raise problem_of(answer)
        return answer.content
