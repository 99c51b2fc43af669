"""Many calls at once."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self, TypeVar

import httpx2

from assay_client import calls, correcting
from assay_client.answers import CorrectionAnswer, FeedbackRecord, JobAnswer
from assay_client.errors import unreachable
from assay_client.methods import async_called
from assay_client.operations import AsyncOperations
from assay_client.repeating import FAILURES, pause_after_answer, pause_after_failure
from assay_client.requests import Call, OnProgress, authorised

__all__ = ["AsyncClient"]

T = TypeVar("T")


class AsyncClient(AsyncOperations):
    """Many calls at once. A call is made at most `attempts` times, and `poll` seconds are between two looks at a job."""

    def __init__(
        self,
        address: str = "http://localhost:8000",
        timeout: float = 60.0,
        attempts: int = 4,
        transport: httpx2.AsyncBaseTransport | None = None,
        poll: float = 0.3,
        api_key: str | None = None,
    ) -> None:
        self._address, self._attempts, self._poll = address, attempts, poll
        try:
            self._http = httpx2.AsyncClient(base_url=address, timeout=timeout, transport=transport, headers=authorised(api_key))
        except httpx2.InvalidURL as error:
            raise unreachable(address, error) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """The answer to a call; AssayError where there is none, or it is a problem."""
        attempt = 1
        while True:
            try:
                answer = await self._http.request(**call.arguments())
                pause = pause_after_answer(answer, attempt, self._attempts)
            except FAILURES as error:
                pause = pause_after_failure(call, self._address, error, attempt, self._attempts)
            if pause is None:
                return call.answer(answer)
            await asyncio.sleep(pause)
            attempt += 1

    call = async_called(calls.call)
    ask = async_called(calls.ask)
    submit = async_called(calls.submit)
    submit_file = async_called(calls.submit_file)
    submit_files = async_called(calls.submit_files)
    job = async_called(calls.job)
    cancel = async_called(calls.cancel)
    remove = async_called(calls.remove)
    retry = async_called(calls.retry)
    result = async_called(calls.result)
    job_files = async_called(calls.job_files)
    job_file = async_called(calls.job_file)
    correct = async_called(correcting.correct)
    take_back = async_called(correcting.take_back)
    models = async_called(calls.models)
    word_models = async_called(calls.word_models)
    model = async_called(calls.model)
    promote = async_called(calls.promote)
    rollback = async_called(calls.rollback)
    feedback = async_called(calls.feedback)
    feedback_counts = async_called(calls.feedback_counts)
    judgement = async_called(calls.judgement)
    correct_feedback = async_called(calls.correct_feedback)
    delete_feedback = async_called(calls.delete_feedback)
    export_feedback = async_called(calls.export_feedback)
    forget_owner = async_called(calls.forget_owner)
    resources = async_called(calls.resources)
    metrics = async_called(calls.metrics)
    features_catalogue = async_called(calls.features_catalogue)
    inspect = async_called(calls.inspect)
    me = async_called(calls.me)
    usage = async_called(calls.usage)

    async def jobs(
        self, limit: int | None = None, after: str | None = None, state: str | None = None, kind: str | None = None
    ) -> AsyncIterator[JobAnswer]:
        """At most `limit` jobs, or all, the newest first, fetched page by page; `after` is the id of the job before the first."""
        while limit is None or limit > 0:
            page = await self.send(calls.job_page(None if limit is None else min(limit, calls.PAGE), after, state, kind))
            for job in page["jobs"]:
                yield job
            after, limit = page["next"], None if limit is None else limit - len(page["jobs"])
            if after is None:
                return

    async def corrections(self, job: str) -> AsyncIterator[CorrectionAnswer]:
        """All corrections of a job in the order of its segments, fetched page by page."""
        after: int | None = None
        while True:
            page = await self.send(correcting.corrections_page(job, calls.PAGE, after))
            for correction in page["corrections"]:
                yield correction
            after = page["next"]
            if after is None:
                return

    async def judgements(
        self,
        limit: int | None = None,
        after: str | None = None,
        pair: str | None = None,
        label: str | None = None,
        model: str | None = None,
        origin: str | None = None,
        since: str | None = None,
    ) -> AsyncIterator[FeedbackRecord]:
        """At most `limit` judgements that fit, or all, the newest first; `after` is the id of the one before the first."""
        filters = {"pair": pair, "label": label, "model": model, "origin": origin, "since": since}
        while limit is None or limit > 0:
            page = await self.send(calls.feedback_page(calls.PAGE if limit is None else min(limit, calls.PAGE), after, filters))
            for record in page["feedback"]:
                yield record
            after, limit = page["next"], None if limit is None else limit - len(page["feedback"])
            if after is None:
                return

    async def progress(self, job: str) -> AsyncIterator[JobAnswer]:
        """The job again and again, until it has ended."""
        while True:
            view = await self.job(job)
            yield view
            if view["state"] in calls.OVER:
                return
            await asyncio.sleep(self._poll)

    async def wait(self, job: str, on_progress: OnProgress | None = None) -> JobAnswer:
        """The job once it has ended; AssayError unless it succeeded."""
        async for view in self.progress(job):
            if on_progress is not None:
                on_progress(view)
        return calls.check_success(view)

    async def run(
        self,
        kind: str,
        params: Mapping[str, Any],
        on_progress: OnProgress | None = None,
        key: str | None = None,
        owner: str | None = None,
        priority: str | None = None,
    ) -> JobAnswer:
        """Queue a job and wait for its end; AssayError unless it succeeded."""
        job = await self.submit(kind, params, key, owner, priority=priority)
        return await self.wait(job["id"], on_progress)
