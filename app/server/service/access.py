"""Access of one caller to a running service, for every route and page."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from math import inf
from typing import Annotated, Any, TypeVar

import anyio.to_thread
from fastapi import Depends, Request
from pydantic import ValidationError

from app.engine.profiles import uses_networks
from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.judgements.corrections import CorrectionAnswer, CorrectionText
from app.operations.judgements.feedback import FeedbackAnswer, FeedbackRequest, give_feedback, work_of_feedback
from app.operations.judgements.reassessment import assessment, cost_of_assessment
from app.operations.judgements.records import CorrectionRequest, KeptFeedback
from app.operations.models import (
    ModelDetails,
    PromotionAnswer,
    PromotionRequest,
    WordTaggerCard,
    describe_model,
    promote_model,
    roll_back_model,
)
from app.operations.operation import Body, Json, Operation
from app.operations.parts.costs.work import HEAVY
from app.operations.parts.fields import AsksPairs, in_loaded_languages
from app.operations.translating import names_service
from app.running.deadline import Deadline, check_deadline, until
from app.server.service.auditing import actor_of
from app.server.service.corrections import Corrections
from app.server.service.job_access import POLL_SECONDS, JobAccess
from app.server.service.judgements import JudgementAccess
from app.server.service.permission import check_promotion, check_request
from app.server.service.quotas import Charging
from app.server.service.service import Question, Service
from app.server.service.turns import client_of
from app.server.service.watching import note_begin
from app.server.store import ADMIN, JobView
from app.server.upkeep.forgetting import OwnerDeletion
from app.text import LanguagePair
from app.text.languages import ANY_PAIR

__all__ = ["Access", "RequestAccess"]

Disconnection = Callable[[], Awaitable[bool]]
T = TypeVar("T")


async def _always_connected() -> bool:
    return False


async def _watch(gone: Disconnection, deadline: Deadline) -> None:
    """Expire the deadline soon after the caller disconnects; most answers come before the first check."""
    await asyncio.sleep(POLL_SECONDS)
    while not await gone():
        await asyncio.sleep(POLL_SECONDS)
    deadline.give_up()


def _in_time(deadline: Deadline, run: Callable[[], T]) -> T:
    with until(deadline):
        # A run does not begin after its deadline.
        check_deadline()
        return run()


async def _within(seconds: float, answering: Awaitable[T]) -> T:
    """Await an answer; InputError after `seconds`."""
    if seconds == inf:
        return await answering
    deadline = Deadline(seconds)
    try:
        return await asyncio.wait_for(answering, seconds)
    except TimeoutError:
        deadline.check()
        raise


async def _beside_connection(answering: Awaitable[T], disconnection: Disconnection) -> T:
    """Await an answer until the caller is gone."""
    task = asyncio.ensure_future(answering)
    watching = asyncio.create_task(_leave(disconnection, task))
    try:
        return await task
    finally:
        watching.cancel()
        task.cancel()


async def _leave(disconnection: Disconnection, task: "asyncio.Future[Any]") -> None:
    """Cancel a task soon after the caller disconnects."""
    await asyncio.sleep(POLL_SECONDS)
    while not await disconnection():
        await asyncio.sleep(POLL_SECONDS)
    task.cancel()


async def _watched(deadline: Deadline, run: Callable[[], T], threads: anyio.CapacityLimiter | None, gone: Disconnection) -> T:
    """Result of `run` in a thread, until a deadline or until the caller is gone."""
    watching = asyncio.create_task(_watch(gone, deadline))
    working = asyncio.ensure_future(anyio.to_thread.run_sync(_in_time, deadline, run, limiter=threads))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        # At a stop of the server, the thread must not use up its time.
        deadline.give_up()
        await asyncio.gather(working, return_exceptions=True)
        raise
    finally:
        watching.cancel()


class Access(JobAccess):
    """The service as one caller sees it."""

    @property
    def ready(self) -> bool:
        """Return True if the service answers requests."""
        return self._service.ready

    def check_database(self) -> None:
        """InputError if the database does not answer or is damaged."""
        self._service.database_watch.check()

    def check_room(self) -> None:
        """InputError if a disk is full."""
        self._service.stores.disk_space.check()

    @property
    def failed(self) -> bool:
        """Return True if loading failed for good."""
        return bool(self._service.failure)

    async def answer(
        self, operation: Operation[Any, Any], request: Body, gone: Disconnection = _always_connected, seconds: float = inf
    ) -> Any:
        """The answer of an operation; small requests that wait at the same moment are answered together.

        Heavy requests have few threads of their own, so that small ones always find one. Work ends with the time of a call, or
        soon after the caller is `gone`. A limit of `seconds` excludes networks, unless the request names a profile or a model,
        or only networks can answer.
        """
        check_request(self.caller, operation, request)
        request = in_loaded_languages(self.engine, request)
        if seconds < inf:
            request = self._soonest(operation, request)
        cost = operation.cost(self.engine, request)
        if cost.work > self.settings.max_call_work:
            # A request beyond the limits of jobs gets that error, since a job would not help.
            await anyio.to_thread.run_sync(operation.check, request, self.limits)
        self._check_work(cost.work, f"the work is too much for one call; send less{', or a job' if operation.steps else ''}")
        self._charged = charging = self.quotas.charging(self.caller, cost.amount)
        if names_service(request):
            request = await self._translated(operation, request, charging, seconds, gone)
            charging, cost = charging.rest_of_call(), operation.cost(self.engine, request)
        # Networks work on a few segments for less time than on a document, so requests of short texts are answered together.
        key = operation.together.key(request) if operation.together is not None and cost.text_work <= HEAVY else None
        if key is not None:
            engine = self.engine
            operation.check(request, self.limits)
            batcher = self._service.batchers[operation.name, bool(cost.model_work)]
            answering = batcher.answer(Question(engine, request, cost), (id(engine), key), self.client)
            return await charging.beside(_within(seconds, _beside_connection(answering, gone)))
        return await self._work_on(cost.work, partial(self._answer, operation, request, charging), gone, seconds)

    async def _translated(
        self, operation: Operation[Any, Any], request: Body, charging: Charging, seconds: float, disconnection: Disconnection
    ) -> Body:
        """The request with translations of the services that it names, which are charged with the answer.

        Services may be slow, so these requests wait in threads of their own.
        """
        translation, limits = operation.translation, self.limits
        translators = self._service.translators.of(self.caller.owner, self.caller.still_open)
        assert translation is not None

        def run() -> Body:
            operation.check(request, limits)
            with charging.around():
                answer: Body = translation(translators, request)
            return answer

        deadline = Deadline(min(self.settings.call_seconds, seconds))
        return await _watched(deadline, run, self._service.translating_threads, disconnection)

    def _soonest(self, operation: Operation[Any, Any], request: Body) -> Body:
        """A request without model and profile, in the profile `fast` if its pair has resources of its own."""
        if not (operation.profiled and isinstance(request, AsksPairs)):
            return request
        if getattr(request, "profile", None) is not None or getattr(request, "model", None) is not None:
            return request
        networks = uses_networks(None, "fast", request.pairs(), self.engine.resources.pairs)
        return request if networks else request.model_copy(update={"profile": "fast"})

    def _answer(self, operation: Operation[Any, Any], request: Body, charging: Charging) -> Any:
        assert operation.answer is not None
        note_begin()
        operation.check(request, self.limits)
        with charging.around():
            return operation.answer(self.engine, request)

    def _check_work(self, work: int, detail: str) -> None:
        if work > self.settings.max_call_work:
            raise InputError("too-much-work", detail)

    async def _work_on(self, work: int, run: Callable[[], T], gone: Disconnection = _always_connected, seconds: float = inf) -> T:
        """Result of `run` in a thread, one of few for heavy work, within the time of a call or `seconds`."""
        limit = min(self.settings.call_seconds, seconds)
        if work <= HEAVY:
            return await _watched(Deadline(limit), run, None, gone)
        async with AsyncExitStack() as place:
            # Time of waiting is no time of work.
            waiting = place.enter_async_context(self._service.heavy_turns.turn(self.client))
            try:
                await asyncio.wait_for(_beside_connection(waiting, gone), limit)
            except TimeoutError:
                raise InputError("overloaded", "calls of others are being answered; ask again in a moment, or for less") from None
            return await _watched(Deadline(limit), run, self._service.heavy_threads, gone)

    async def in_turn(self, read: Callable[[], T], gone: Disconnection) -> T:
        """Result of reading up to a hundred megabytes, two reads at a time over all callers.

        Reading has no time limit, but ends when the caller disconnects.
        """
        return await _watched(Deadline(), read, self._service.reading_threads, gone)

    # Feedback

    @property
    def judgements(self) -> JudgementAccess:
        """Stored feedback, one judgement at a time; InputError if the key is not for feedback."""
        service = self._service
        registry, longest, make_sure = service.engine.registry, self.limits.characters, service.stores.forgetting.make_sure
        return JudgementAccess(
            self.caller, self.feedback, service.stores.feedback_uses, registry, service.auditing, longest, make_sure
        )

    async def give_feedback(self, request: FeedbackRequest) -> FeedbackAnswer:
        """Store judgements. Edit rates of post-edits cost as much as a metric, and have the same limit of work."""
        self.require("feedback")
        self._service.stores.disk_space.require()
        work = work_of_feedback(request)
        self._check_work(work, "the post-edits are too long for one call; send parts")
        return await self._work_on(work, partial(self._give_feedback, request))

    def _give_feedback(self, request: FeedbackRequest) -> FeedbackAnswer:
        model = self.engine.models.get(request.model) if request.model is not None else None
        pair = LanguagePair.parse(model.card.pair) if model is not None and model.card.pair != ANY_PAIR else None
        languages = (pair.source, pair.target) if pair else (request.source_language or "", request.target_language or "")
        self.caller.check_pair(*languages)
        own_feedback = self._service.stores.feedback.of(self.caller.owner, self.quotas.room_of(self.caller).stored_bytes)
        return give_feedback(
            self.engine, own_feedback.changed_by(actor_of(self.caller), self.caller.still_open), request, self.limits
        )

    async def correct_feedback(self, id: str, request: CorrectionRequest) -> KeptFeedback:
        """Replace the value or post-edit of a stored judgement, with the limit of work of new ones."""
        judgements = self.judgements
        self._service.stores.disk_space.require()
        work = await anyio.to_thread.run_sync(judgements.work_of, id, request)
        self._check_work(work, "this post-edit is too long for a call")
        return await self._work_on(work, partial(judgements.correct, id, request))

    # Corrections

    def corrections(self, name: str) -> Corrections:
        """Corrections of a job's translations; InputError if the caller may not see the job."""
        job = self.job(name)
        longest, stored_limit = self.limits.characters, self.quotas.room_of(self.caller).stored_bytes
        # An administrator's limit of storage does not apply to jobs of other owners.
        own_limit = stored_limit if job.owner == self.caller.owner else None
        return Corrections(
            self.caller, job, self._service.stores.jobs, longest, own_limit, self._service.stores.forgetting.make_sure
        )

    async def correct(self, name: str, segment: int, request: CorrectionText) -> CorrectionAnswer:
        """Correct a translation, with the limit of work of feedback."""
        corrections = await anyio.to_thread.run_sync(self.corrections, name)
        self._service.stores.disk_space.require()
        work = await anyio.to_thread.run_sync(corrections.work_of, segment, request)
        self._check_work(work, "this correction is too long for a call")
        return await self._work_on(work, partial(corrections.put, segment, request, self._assessment))

    def _assessment(self, job: JobView, source: str, text: str) -> Json | None:
        """The findings of a job about a correction; None if its model cannot answer now, so that no correction is lost for it."""
        operation = OPERATIONS[job.kind]
        try:
            cost = cost_of_assessment(self.engine, operation, job.params, source, text)
            self._check_work(cost.work, "this correction is too long to be scored in a call")
            with self.quotas.charging(self.caller, cost.amount).around():
                return assessment(self.engine, operation, job.params, source, text)
        except (InputError, ValidationError):
            return None

    # Models

    def describe_model(self, model: str) -> ModelDetails | WordTaggerCard:
        """The card of a model, its versions and its feedback; the audit records views of another owner's model."""
        details = describe_model(self.engine, model, self.feedback.counts())
        owner = self._service.owner_of_model(model)
        if owner is not None:
            self._service.auditing.read(self.caller, "model", model, owner)
        return details

    def promote(self, model: str, request: PromotionRequest) -> PromotionAnswer:
        """Make a model the default of its pair and label."""
        check_promotion(self.caller, self.engine, model)
        entry = promote_model(self.engine, model, request)
        self._service.auditing.record(self.caller, "promoted", "model", model, pair=entry["pair"], label=entry["label"])
        return entry

    def roll_back(self, model: str, request: PromotionRequest) -> PromotionAnswer:
        """Undo the promotion of a model."""
        check_promotion(self.caller, self.engine, model)
        entry = roll_back_model(self.engine, model, request)
        self._service.auditing.record(self.caller, "rolled-back", "model", model, to=entry["model"])
        return entry

    # Owners

    def forget_owner(self, name: str, with_models: bool) -> OwnerDeletion:
        """Delete all data of a person; the answer names the remainder."""
        self.require(ADMIN)
        if name == self.caller.owner:
            raise InputError("forbidden", "a key cannot delete its own owner; use another key, or assay server owners delete")
        answer = self._service.stores.forgetting.forget(name, with_models)
        self._service.auditing.record(self.caller, "deleted", "owner", name)
        return answer


async def _access(request: Request) -> Access:
    # FastAPI would run a plain function in a thread, which costs more than all of this.
    service: Service = request.app.state.service
    access = Access(service, request.scope["caller"])
    access.client = client_of(request.scope, access.caller.name)
    return access


# Access of a request's caller, as a dependency of routes.
RequestAccess = Annotated[Access, Depends(_access)]
