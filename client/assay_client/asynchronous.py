"""Calls for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
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

__all__ = ["AsyncClient"]


class AsyncClient:
    """The same calls for asyncio; those that are awaited together share connections."""

    def __init__(
        self,
        address: str = "http://localhost:8000",
        timeout: float = 60.0,
        attempts: int = 4,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx2.AsyncClient(base_url=address, timeout=timeout, transport=transport)
        self._attempts = attempts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _send(self, request: Json) -> httpx2.Response:
        for attempt in range(1, self._attempts + 1):
            answer = await self._http.request(**request)
            pause = pause_before(answer, attempt, self._attempts)
            if pause is None:
                break
            await asyncio.sleep(pause)
        return answer

    async def quality(
        self, source: str, target: str, segments: Sequence[Pair | Mapping[str, Any]], **options: Any
    ) -> QualityAnswer:
        """Predicted quality of (source, translation) pairs."""
        answer: QualityAnswer = read_answer(await self._send(quality_request(source, target, segments, options)))
        return answer

    async def rank(
        self, source: str, target: str, candidates: Sequence[tuple[str, Mapping[str, str]]], **options: Any
    ) -> RankAnswer:
        """Order translations of each source: ``[(source, {system: text})]``."""
        answer: RankAnswer = read_answer(await self._send(rank_request(source, target, candidates, options)))
        return answer

    async def score(
        self, metrics: Sequence[str], systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]], **options: Any
    ) -> ScoreAnswer:
        """Score named systems against named references."""
        body = {"metrics": list(metrics), "systems": systems, "references": references, **options}
        answer: ScoreAnswer = read_answer(await self._send(plain_request("POST", "/v1/score", body)))
        return answer

    async def feedback(self, model: str, segments: Sequence[Mapping[str, Any]], origin: str = "") -> Json:
        """Post-edits or scores of translations that `model` answered for."""
        body = {"model": model, "segments": [dict(each) for each in segments], "origin": origin}
        answer: Json = read_answer(await self._send(plain_request("POST", "/v1/feedback", body)))
        return answer

    async def submit(self, kind: str, params: Mapping[str, Any], key: str | None = None, **origin: str | None) -> JobAnswer:
        """Queue a job; one `key` makes one job, however often it is sent."""
        headers = {"Idempotency-Key": key} if key else {}
        request = plain_request("POST", "/v1/jobs", {"kind": kind, "params": dict(params), **origin}, headers=headers)
        job: JobAnswer = read_answer(await self._send(request))
        return job

    async def submit_file(
        self,
        path: Path,
        params: Mapping[str, Any],
        key: str | None = None,
        owner: str | None = None,
        webhook: str | None = None,
        source: Path | None = None,
    ) -> JobAnswer:
        """Queue the quality job of a document; `source` goes with an n-best list."""
        job: JobAnswer = read_answer(await self._send(file_job_request(path, params, key, owner, webhook, source)))
        return job

    async def progress(self, job: str) -> AsyncIterator[JobAnswer]:
        """The job again and again, until it has ended."""
        while True:
            view: JobAnswer = read_answer(await self._send(plain_request("GET", f"/v1/jobs/{job}")))
            yield view
            if view["state"] in OVER:
                return
            await asyncio.sleep(POLL_SECONDS)

    async def wait(self, job: str) -> JobAnswer:
        """The job once it has ended; an AssayError unless it succeeded."""
        async for view in self.progress(job):
            last = view
        return succeeded(last)

    async def result(self, job: str, form: ResultFormat = "json") -> bytes:
        """The result of a job that succeeded."""
        answer = await self._send(plain_request("GET", f"/v1/jobs/{job}/result", params={"format": form}))
        if not answer.is_success:
            raise problem_of(answer)
        return answer.content
