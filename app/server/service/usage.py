"""Limits, usage and stored bytes, as a caller sees them."""

from collections.abc import Iterable
from datetime import UTC, datetime
from time import time
from typing import Annotated, Final

from pydantic import Field
from typing_extensions import TypedDict

from app.errors import InputError
from app.running.rates import Rate
from app.server.service.access import Access
from app.server.store import Usage

__all__ = ["Me", "UsageAnswer", "me_of", "usage_of"]

DAY: Final = 86400


class RateLimit(TypedDict):
    """The most of a unit in a window of the calendar (UTC), of what is asked with this key, or with all keys of its owner."""

    limit: int
    unit: Annotated[str, Field(description="`segments` or `characters`, of sources")]
    window: Annotated[str, Field(description="`minute`, `day` or `month`")]
    of: Annotated[str, Field(description="`key` or `owner`")]


class Limits(TypedDict):
    """Limits; null where there is none."""

    rates: list[RateLimit]
    jobs_at_once: Annotated[int | None, Field(description="Jobs of the owner that wait or run")]
    stored_bytes: Annotated[int | None, Field(description="Bytes that the owner keeps")]


class Me(TypedDict):
    """A caller; names are empty while nobody needs a key, `pairs` and `models` null where they are all."""

    name: str
    owner: str
    scopes: list[str]
    pairs: list[str] | None
    models: list[str] | None
    limits: Annotated[Limits, Field(description="Limits of the key")]


class Counts(TypedDict):
    """Counts of requests."""

    segments: int
    characters: Annotated[int, Field(description="Characters of sources")]
    requests: Annotated[int, Field(description="Calls that were answered at once")]
    jobs: int


class DayUsage(Counts):
    """A day, as 2027-01-31 (UTC)."""

    day: str


class MonthUsage(Counts):
    """A month, as 2027-01 (UTC)."""

    month: str


class KeyUsage(Counts):
    """Usage of one key in the current month."""

    key: str


class OwnerUsage(Counts):
    """Usage of one owner in the current month."""

    owner: str


class UsageAnswer(TypedDict):
    """Usage of an owner, the oldest first, and stored bytes; empty windows are left out."""

    owner: str
    stored_bytes: Annotated[int, Field(description="Bytes of jobs and feedback, as they are kept")]
    active_jobs: Annotated[int, Field(description="Jobs that wait or run")]
    days: list[DayUsage]
    months: list[MonthUsage]
    keys: list[KeyUsage]
    owners: Annotated[list[OwnerUsage] | None, Field(description="All owners in this month, for administrators")]


def me_of(access: Access) -> Me:
    """Describe a caller: name, owner, scopes and limits of the key."""
    caller = access.caller
    pairs, models = (None if names is None else sorted(names) for names in (caller.pairs, caller.models))
    return {
        "name": caller.name,
        "owner": caller.owner,
        "scopes": sorted(caller.scopes),
        "pairs": pairs,
        "models": models,
        "limits": _limits_of(access),
    }


def _limits_of(access: Access) -> Limits:
    quotas, caller = access.quotas, access.caller
    room = quotas.room_of(caller)
    of_key, of_owner = quotas.rates_of(caller) if caller.name else ((), ())
    rates = [*_rates(of_key, "key"), *_rates(of_owner, "owner")]
    return {"rates": rates, "jobs_at_once": room.jobs_at_once, "stored_bytes": room.stored_bytes}


def _rates(rates: Iterable[Rate], of: str) -> list[RateLimit]:
    return [{"limit": rate.limit, "unit": rate.unit, "window": rate.window, "of": of} for rate in rates]


def usage_of(access: Access, days: int, months: int, owner: str | None = None) -> UsageAnswer:
    """Usage and stored bytes of an owner: the caller's owner unless an administrator names another."""
    caller, usage, now = access.caller, access.quotas.usage, time()
    if owner is not None and owner != caller.owner and not caller.is_admin:
        raise InputError("forbidden", "only an administrator sees other owners", ("owner",))
    name = caller.owner if owner is None else owner
    first = now - (days - 1) * DAY
    all_usage = usage.used("month", now) if caller.is_admin else None
    return {
        "owner": name,
        "stored_bytes": usage.stored(name),
        "active_jobs": usage.active(name),
        "days": [{"day": _date(row)[:10], **_counts(row)} for row in usage.used("day", first, name)],
        "months": [{"month": _date(row)[:7], **_counts(row)} for row in usage.used("month", _month_ago(now, months - 1), name)],
        "keys": [{"key": row.key, **_counts(row)} for row in usage.used("month", now, name, keys=True)],
        "owners": None if all_usage is None else [{"owner": row.owner, **_counts(row)} for row in all_usage],
    }


def _month_ago(moment: float, months: int) -> float:
    """Begin of the UTC month that lies `months` before a time; both in seconds."""
    today = datetime.fromtimestamp(moment, UTC)
    number = today.year * 12 + today.month - 1 - months
    return datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC).timestamp()


def _date(row: Usage) -> str:
    return datetime.fromtimestamp(row.start, UTC).isoformat()


def _counts(row: Usage) -> Counts:
    return {"segments": row.segments, "characters": row.characters, "requests": row.requests, "jobs": row.jobs}
