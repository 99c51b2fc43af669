"""Limits of callers, and one charge for each call and each job.

Limits are those of the key, or the settings' where it has none of its own: rates of the settings hold for all keys of an owner
together. A caller without a key, while none is needed, has no account and is not counted.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeVar

import anyio.to_thread

from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Json, Plan
from app.running.rates import ZERO, Amount, Charge, Quota, QuotaError, Rate, Room, check_quotas, parse_rates
from app.server.service.authentication import Caller
from app.server.store import JobAdmission, UsageStore
from app.settings import Settings

__all__ = ["Charging", "Quotas"]

log = logging.getLogger("assay")
A = TypeVar("A")
# Seconds for which a refusal is cached, so that repeated requests cost nothing.
REFUSED_SECONDS: Final = 1.0
REFUSAL_LIMIT: Final = 10_000


class Quotas:
    """The limits in force, and the usage against them."""

    def __init__(self, settings: Settings, open_usage: Callable[[], UsageStore]) -> None:
        """Usage is opened when it is first needed; InputError for invalid rates in the settings."""
        self._open_usage = open_usage
        self._rates = parse_rates(settings.quota_rates, "ASSAY_QUOTA_RATES")
        self._jobs_at_once, self._stored_bytes = settings.quota_jobs_at_once, settings.quota_stored_bytes
        self._queued = settings.max_queued_jobs
        self._refusals: dict[tuple[str, str], tuple[float, QuotaError]] = {}

    @cached_property
    def usage(self) -> UsageStore:
        """Usage counts; InputError until the database is open."""
        return self._open_usage()

    def stop(self) -> None:
        """Write the last counts."""
        if "usage" in vars(self):
            try:
                self.usage.flush()
            except InputError as error:
                log.warning("what was asked for last is not counted: %s", error)

    def rates_of(self, caller: Caller) -> tuple[tuple[Rate, ...], tuple[Rate, ...]]:
        """Rates of a key, and of its owner over all keys."""
        own_rates = caller.limits.rates
        return ((), self._rates) if own_rates is None else (own_rates, ())

    def room_of(self, caller: Caller) -> Room:
        """Limits of the number of jobs and of stored bytes."""
        if not caller.name:
            return Room(queued=self._queued or None)
        jobs, stored = caller.limits.jobs_at_once, caller.limits.stored_bytes
        jobs = self._jobs_at_once if jobs is None else jobs
        return Room(jobs or None, (self._stored_bytes if stored is None else stored) or None, self._queued or None)

    def charging(self, caller: Caller, amount: Amount) -> "Charging":
        """The charge of a call; QuotaError if a cached refusal still holds."""
        if not caller.name:
            return Charging(self, None)
        charge = self._charge(caller, amount, requests=1)
        until, refusal = self._refusals.get((caller.owner, caller.name), (0.0, None))
        if refusal is not None and time.monotonic() < until:
            quotas = [replace(quota, used=quota.used + charge.amount.of(quota.rate.unit)) for quota in refusal.quotas]
            check_quotas(quotas, charge.amount, time.time())
        return Charging(self, charge)

    def _charge(self, caller: Caller, amount: Amount, requests: int = 0, jobs: int = 0) -> Charge:
        return Charge(caller.owner, caller.name, amount, requests, jobs, *self.rates_of(caller))

    def charge(self, charge: Charge) -> tuple[float, tuple[Quota, ...]]:
        """Count a call; QuotaError above a limit."""
        try:
            return self.usage.note(charge) or self.usage.charge(charge)
        except QuotaError as refusal:
            if len(self._refusals) >= REFUSAL_LIMIT:
                self._refusals.clear()
            # If a window ends sooner, a caller who waited for that must not be refused for the old window.
            if all(quota.seconds > REFUSED_SECONDS for quota in refusal.quotas):
                self._refusals[charge.owner, charge.key] = time.monotonic() + REFUSED_SECONDS, refusal
            raise

    def check_room(self, caller: Caller, owner: str) -> None:
        """QuotaError if an owner may queue no other job; the check precedes the planning."""
        self.usage.check_room(owner, self.room_of(caller))

    def admission(self, caller: Caller, owner: str, plan: Plan) -> tuple[Plan, JobAdmission]:
        """A plan whose chunks are counted while they are read, and the admission of its job."""
        steps = OPERATIONS[plan.kind].steps
        assert steps is not None
        counted_amounts, amount_of = [ZERO], steps.amount

        def chunks() -> Iterator[tuple[int, Json]]:
            for rows, chunk in plan.chunks:
                counted_amounts[0] += amount_of(chunk)
                yield rows, chunk

        def charge() -> Charge | None:
            return self._charge(caller, counted_amounts[0], jobs=1) if caller.name else None

        if not caller.name:
            return plan, JobAdmission(self.usage, owner, self.room_of(caller), charge)
        return replace(plan, chunks=chunks()), JobAdmission(self.usage, owner, self.room_of(caller), charge, caller.still_open)

    def readmission(self, caller: Caller, owner: str, kind: str, left: Iterable[Json]) -> JobAdmission:
        """Admission of a retried job: the unfinished chunks in `left` are charged again."""
        steps = OPERATIONS[kind].steps
        assert steps is not None
        if not caller.name:
            return JobAdmission(self.usage, owner, self.room_of(caller), lambda: None)
        charge = self._charge(caller, sum(map(steps.amount, left), ZERO), jobs=1)
        return JobAdmission(self.usage, owner, self.room_of(caller), lambda: charge, caller.still_open)


class Charging:
    """One call's charge: nothing for who has no key. Afterwards `quotas` are the rates that hold."""

    def __init__(self, quotas: Quotas, charge: Charge | None) -> None:
        self.quotas: tuple[Quota, ...] = ()
        self._of, self._charge = quotas, charge

    def rest_of_call(self) -> "Charging":
        """The charge of the rest of a call that was counted already: nothing, beside the same rates."""
        rest = Charging(self._of, None)
        rest.quotas = self.quotas
        return rest

    @contextmanager
    def around(self) -> Iterator[None]:
        """Count an answer computed within; failures are refunded, except calls that took too long."""
        if self._charge is None:
            yield
            return
        moment, self.quotas = self._of.charge(self._charge)
        try:
            yield
        except Exception as error:
            if not _was_work(error):
                self._of.usage.refund(self._charge, moment)
            raise

    async def beside(self, answering: Awaitable[A]) -> A:
        """An answer that is worked on while it is counted in a thread: most of that is waiting."""
        if self._charge is None:
            return await answering
        if (count := self._of.usage.note(self._charge)) is not None:
            moment, self.quotas = count
            try:
                return await answering
            except Exception as error:
                await self._refund(error, moment)
                raise
        counting = anyio.to_thread.run_sync(self._of.charge, self._charge)
        answer, charge_result = await asyncio.gather(answering, counting, return_exceptions=True)
        if isinstance(charge_result, BaseException):
            raise charge_result
        moment, self.quotas = charge_result
        if isinstance(answer, Exception):
            await self._refund(answer, moment)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _refund(self, error: Exception, moment: float) -> None:
        """Undo the count of a call that failed before it was worked on."""
        if self._charge is not None and not _was_work(error):
            await anyio.to_thread.run_sync(self._of.usage.refund, self._charge, moment)


def _was_work(error: Exception) -> bool:
    return isinstance(error, InputError) and error.code == "too-slow"
