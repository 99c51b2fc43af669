"""What callers are held to: amounts in windows of the calendar (UTC), how limits are written, and the error beyond one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, Literal, cast

from app.errors import InputError

__all__ = [
    "AS_SET",
    "NOTHING",
    "Amount",
    "KeyLimits",
    "Quota",
    "QuotaError",
    "Rate",
    "Room",
    "Window",
    "check_quotas",
    "parse_rates",
    "window_bounds",
]

Unit = Literal["segments", "characters"]
Window = Literal["minute", "day", "month"]
RATE: Final = re.compile(r"([1-9][0-9]{0,14}) (segments|characters)/(minute|day|month)")
RATE_FORM: Final = "a rate is a number of segments or characters in a minute, day or month, as 10000 segments/minute"
MINUTE: Final = 60
DAY: Final = 86400


@dataclass(frozen=True)
class Amount:
    """`segments`, which are pairs of texts, and the `characters` of their sources."""

    segments: int = 0
    characters: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.segments + other.segments, self.characters + other.characters)

    def of(self, unit: Unit) -> int:
        """How much of a unit it is."""
        return self.segments if unit == "segments" else self.characters


NOTHING: Final = Amount()


@dataclass(frozen=True)
class Rate:
    """At most `limit` of a unit in a window of the calendar."""

    limit: int
    unit: Unit
    window: Window

    def __str__(self) -> str:
        return f"{self.limit} {self.unit}/{self.window}"

    @property
    def name(self) -> str:
        """What it is called in headers and problems."""
        return f"{self.unit}-per-{self.window}"


def parse_rates(text: str, where: str) -> tuple[Rate, ...]:
    """Rates as they are written, with commas between, one of a unit and window at most; InputError says what is accepted."""
    rates = []
    for part in text.split(",") if text.strip() else ():
        match = RATE.fullmatch(part.strip())
        if match is None:
            raise InputError("invalid-request", RATE_FORM, (where,))
        rates.append(Rate(int(match[1]), cast(Unit, match[2]), cast(Window, match[3])))
    if len({rate.name for rate in rates}) < len(rates):
        raise InputError("invalid-request", "a unit has one rate for a window", (where,))
    return tuple(rates)


@dataclass(frozen=True)
class KeyLimits:
    """Limits of a key in place of those of the settings, which hold where it has None; 0, and no rates, are no limit at all.

    `rates` are of what is asked with the key; `jobs_at_once` and `stored_bytes` are of all that its owner has.
    """

    rates: tuple[Rate, ...] | None = None
    jobs_at_once: int | None = None
    stored_bytes: int | None = None


# A key that has none of its own.
AS_SET: Final = KeyLimits()


@dataclass(frozen=True)
class Room:
    """The most jobs of an owner that are queued or run, bytes that an owner keeps, and jobs of all that wait; None is no limit."""

    jobs_at_once: int | None = None
    stored_bytes: int | None = None
    queued: int | None = None


@dataclass(frozen=True)
class Quota:
    """A rate as it stands: how much of it is used, in how many seconds it begins anew, and how many its window has."""

    rate: Rate
    used: int
    seconds: int
    length: int

    @property
    def left(self) -> int:
        """What may still be asked for."""
        return max(self.rate.limit - self.used, 0)


@dataclass
class QuotaError(InputError):
    """More was asked for than a limit leaves; `facts` name it, `retry_after` is in seconds, None where waiting is no help.

    `quotas` are the rates that hold, as they stand without what was refused.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    retry_after: int | None = None
    quotas: tuple[Quota, ...] = ()

    def __post_init__(self) -> None:
        InputError.__post_init__(self)


def window_bounds(window: Window, moment: float) -> tuple[int, int]:
    """Begin and end of the window that a moment is in, in seconds since 1970."""
    seconds = int(moment)
    if window != "month":
        length = MINUTE if window == "minute" else DAY
        return seconds - seconds % length, seconds - seconds % length + length
    return _month_of(seconds // DAY)


@lru_cache(maxsize=16)
def _month_of(day: int) -> tuple[int, int]:
    """Begin and end of the month of a day that is counted since 1970."""
    first = datetime.fromtimestamp(day * DAY, UTC).replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return int(first.timestamp()), int(following.timestamp())


def check_quotas(quotas: Sequence[Quota], amount: Amount, now: float) -> None:
    """QuotaError where an amount, which the quotas hold already, is more than one of them allows.

    It is about the one that lasts longest, or that the amount is too large for whenever it comes.
    """
    beyond = [quota for quota in quotas if quota.used > quota.rate.limit]
    if not beyond:
        return
    hopeless = [quota for quota in beyond if amount.of(quota.rate.unit) > quota.rate.limit]
    worst = max(hopeless or beyond, key=lambda quota: quota.seconds)
    rate, wanted = worst.rate, amount.of(worst.rate.unit)
    used, resets = worst.used - wanted, datetime.fromtimestamp(window_bounds(rate.window, now)[1], UTC).isoformat()
    begin = f"{wanted} {rate.unit} are asked for, and "
    detail = begin + (
        f"{rate.limit} are the most in a {rate.window}; send less at once"
        if hopeless
        else f"{used} of {rate.limit} in this {rate.window} are used; the next begins at {resets}"
    )
    facts = {
        "violated-policies": [quota.rate.name for quota in beyond], "limit": rate.limit, "unit": rate.unit,
        "window": rate.window, "used": used, "requested": wanted, "resets": resets,
    }  # fmt: skip
    before = tuple(Quota(q.rate, q.used - amount.of(q.rate.unit), q.seconds, q.length) for q in quotas)
    raise QuotaError("quota-exceeded", detail, (), facts, None if hopeless else worst.seconds, before)
