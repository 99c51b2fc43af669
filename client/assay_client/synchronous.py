"""Calls one after another."""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Self, TypeVar

import httpx2

from assay_client import calls, correcting
from assay_client.answers import CorrectionAnswer, FeedbackRecord, JobAnswer
from assay_client.errors import unreachable
from assay_client.methods import called
from assay_client.operations import Operations
from assay_client.repeating import FAILURES, pause_after_answer, pause_after_failure
from assay_client.requests import Call, OnProgress, authorised

__all__ = ["Client"]

T = TypeVar("T")


class Client(Operations):
    """Calls one after another. A call is made at most `attempts` times, and `poll` seconds are between two looks at a job."""

    def __init__(
        self,
        address: str = "http://localhost:8000",
        timeout: float = 60.0,
        attempts: int = 4,
        transport: httpx2.BaseTransport | None = None,
        poll: float = 0.3,
        api_key: str | None = None,
    ) -> None:
        self._address, self._attempts, self._poll = address, attempts, poll
        try:
            self._http = httpx2.Client(base_url=address, timeout=timeout, transport=transport, headers=authorised(api_key))
        except httpx2.InvalidURL as error:
            raise unreachable(address, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """The answer to a call; AssayError where there is none, or it is a problem."""
        attempt = 1
        while True:
            try:
                answer = self._http.request(**call.arguments())
                pause = pause_after_answer(answer, attempt, self._attempts)
            except FAILURES as error:
                pause = pause_after_failure(call, self._address, error, attempt, self._attempts)
            if pause is None:
                return call.answer(answer)
            time.sleep(pause)
            attempt += 1

    call = called(calls.call)
    ask = called(calls.ask)
    submit = called(calls.submit)
    submit_file = called(calls.submit_file)
    submit_files = called(calls.submit_files)
    job = called(calls.job)
    cancel = called(calls.cancel)
    remove = called(calls.remove)
    retry = called(calls.retry)
    result = called(calls.result)
    job_files = called(calls.job_files)
    job_file = called(calls.job_file)
    correct = called(correcting.correct)
    take_back = called(correcting.take_back)
    models = called(calls.models)
    word_models = called(calls.word_models)
    model = called(calls.model)
    promote = called(calls.promote)
    rollback = called(calls.rollback)
    feedback = called(calls.feedback)
    feedback_counts = called(calls.feedback_counts)
    judgement = called(calls.judgement)
    correct_feedback = called(calls.correct_feedback)
    delete_feedback = called(calls.delete_feedback)
    export_feedback = called(calls.export_feedback)
    forget_owner = called(calls.forget_owner)
    resources = called(calls.resources)
    metrics = called(calls.metrics)
    features_catalogue = called(calls.features_catalogue)
    inspect = called(calls.inspect)
    me = called(calls.me)
    usage = called(calls.usage)

    def jobs(
        self, limit: int | None = None, after: str | None = None, state: str | None = None, kind: str | None = None
    ) -> Iterator[JobAnswer]:
        """At most `limit` jobs, or all, the newest first, fetched page by page; `after` is the id of the job before the first."""
        while limit is None or limit > 0:
            page = self.send(calls.job_page(None if limit is None else min(limit, calls.PAGE), after, state, kind))
            yield from page["jobs"]
            after, limit = page["next"], None if limit is None else limit - len(page["jobs"])
            if after is None:
                return

    def corrections(self, job: str) -> Iterator[CorrectionAnswer]:
        """All corrections of a job in the order of its segments, fetched page by page."""
        after: int | None = None
        while True:
            page = self.send(correcting.corrections_page(job, calls.PAGE, after))
            yield from page["corrections"]
            after = page["next"]
            if after is None:
                return

    def judgements(
        self,
        limit: int | None = None,
        after: str | None = None,
        pair: str | None = None,
        label: str | None = None,
        model: str | None = None,
        origin: str | None = None,
        since: str | None = None,
    ) -> Iterator[FeedbackRecord]:
        """At most `limit` judgements that fit, or all, the newest first; `after` is the id of the one before the first."""
        filters = {"pair": pair, "label": label, "model": model, "origin": origin, "since": since}
        while limit is None or limit > 0:
            page = self.send(calls.feedback_page(calls.PAGE if limit is None else min(limit, calls.PAGE), after, filters))
            yield from page["feedback"]
            after, limit = page["next"], None if limit is None else limit - len(page["feedback"])
            if after is None:
                return

    def progress(self, job: str) -> Iterator[JobAnswer]:
        """The job again and again, until it has ended."""
        while True:
            view = self.job(job)
            yield view
            if view["state"] in calls.OVER:
                return
            time.sleep(self._poll)

    def wait(self, job: str, on_progress: OnProgress | None = None) -> JobAnswer:
        """The job once it has ended; AssayError unless it succeeded."""
        for view in self.progress(job):
            if on_progress is not None:
                on_progress(view)
        return calls.check_success(view)

    def run(
        self,
        kind: str,
        params: Mapping[str, Any],
        on_progress: OnProgress | None = None,
        key: str | None = None,
        owner: str | None = None,
        priority: str | None = None,
    ) -> JobAnswer:
        """Queue a job and wait for its end; AssayError unless it succeeded."""
        return self.wait(self.submit(kind, params, key, owner, priority=priority)["id"], on_progress)
