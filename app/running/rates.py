"""Quotas of callers: amounts in windows of the calendar (UTC), the notation of limits, and the error of a full quota."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, Literal, cast

from app.errors import InputError

__all__ = [
    "AS_SET",
    "ZERO",
    "Amount",
    "Charge",
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
RATE_FORM: Final = "write a rate as a number of segments or characters per minute, day or month, like 10000 segments/minute"
MINUTE: Final = 60
DAY: Final = 86400


@dataclass(frozen=True)
class Amount:
    """Number of `segments` (pairs of texts), and of `characters` in their sources."""

    segments: int = 0
    characters: int = 0

    def __add__(self, amount: "Amount") -> "Amount":
        return Amount(self.segments + amount.segments, self.characters + amount.characters)

    def of(self, unit: Unit) -> int:
        """Number of segments or of characters, as `unit` says."""
        return self.segments if unit == "segments" else self.characters


ZERO: Final = Amount()


@dataclass(frozen=True)
class Rate:
    """A limit of a unit in a window of the calendar."""

    limit: int
    unit: Unit
    window: Window

    def __str__(self) -> str:
        return f"{self.limit} {self.unit}/{self.window}"

    @property
    def name(self) -> str:
        """Name in headers and problems, as ``segments-per-day``."""
        return f"{self.unit}-per-{self.window}"


def parse_rates(text: str, field: str) -> tuple[Rate, ...]:
    """Parse rates with commas between, at most one per unit and window; InputError names the setting `field` and the form."""
    rates = []
    for part in text.split(",") if text.strip() else ():
        match = RATE.fullmatch(part.strip())
        if match is None:
            raise InputError("invalid-request", RATE_FORM, (field,))
        rates.append(Rate(int(match[1]), cast(Unit, match[2]), cast(Window, match[3])))
    if len({rate.name for rate in rates}) < len(rates):
        raise InputError("invalid-request", "two rates have one unit and window; delete one", (field,))
    return tuple(rates)


@dataclass(frozen=True)
class KeyLimits:
    """Limits of a key; None means the limit of the settings, and 0 or no rates mean no limit.

    `rates` count requests with the key; `jobs_at_once` and `stored_bytes` count everything of its owner.
    """

    rates: tuple[Rate, ...] | None = None
    jobs_at_once: int | None = None
    stored_bytes: int | None = None


# Limits of a key that uses those of the settings.
AS_SET: Final = KeyLimits()


@dataclass(frozen=True)
class Charge:
    """A charge of a caller, and the rates of its key and of its owner over all keys."""

    owner: str
    key: str
    amount: Amount
    requests: int = 0
    jobs: int = 0
    key_rates: tuple[Rate, ...] = ()
    owner_rates: tuple[Rate, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Return True if a rate is in force."""
        return bool(self.key_rates or self.owner_rates)


@dataclass(frozen=True)
class Room:
    """Limits of the jobs of an owner that wait or run, of the bytes of an owner, and of all waiting jobs; None is no limit."""

    jobs_at_once: int | None = None
    stored_bytes: int | None = None
    queued: int | None = None


@dataclass(frozen=True)
class Quota:
    """State of a rate: the used amount, the seconds until it begins anew, and the length of its window in seconds."""

    rate: Rate
    used: int
    seconds: int
    length: int

    @property
    def remainder(self) -> int:
        """Remaining amount."""
        return max(self.rate.limit - self.used, 0)


@dataclass
class QuotaError(InputError):
    """A request beyond a limit; `facts` name the limit. `retry_after` is in seconds, None if waiting does not help.

    `quotas` are the rates of the caller, without the refused amount.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    retry_after: int | None = None
    quotas: tuple[Quota, ...] = ()

    def __post_init__(self) -> None:
        InputError.__post_init__(self)


def window_bounds(window: Window, moment: float) -> tuple[int, int]:
    """Begin and end of the window around a moment, in seconds since 1970."""
    seconds = int(moment)
    if window != "month":
        length = MINUTE if window == "minute" else DAY
        return seconds - seconds % length, seconds - seconds % length + length
    return _month_of(seconds // DAY)


@lru_cache(maxsize=16)
def _month_of(day: int) -> tuple[int, int]:
    """Begin and end of the month of a day, in seconds since 1970; days count since 1970."""
    first = datetime.fromtimestamp(day * DAY, UTC).replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return int(first.timestamp()), int(following.timestamp())


def check_quotas(quotas: Sequence[Quota], amount: Amount, now: float) -> None:
    """Check quotas that include an amount; QuotaError if one is exceeded.

    The error is about a quota that the amount alone exceeds, if any, else about the one with the longest wait.
    """
    exceeded_quotas = [quota for quota in quotas if quota.used > quota.rate.limit]
    if not exceeded_quotas:
        return
    hopeless = [quota for quota in exceeded_quotas if amount.of(quota.rate.unit) > quota.rate.limit]
    worst = max(hopeless or exceeded_quotas, key=lambda quota: quota.seconds)
    rate, amount_of_unit = worst.rate, amount.of(worst.rate.unit)
    used_amount, resets = worst.used - amount_of_unit, datetime.fromtimestamp(window_bounds(rate.window, now)[1], UTC).isoformat()
    begin = f"this request has {amount_of_unit} {rate.unit}, and "
    detail = begin + (
        f"the limit is {rate.limit} per {rate.window}; send less at once"
        if hopeless
        else f"{used_amount} of {rate.limit} in this {rate.window} are used; the next {rate.window} begins at {resets}"
    )
    facts = {
        "violated-policies": [quota.rate.name for quota in exceeded_quotas], "limit": rate.limit, "unit": rate.unit,
        "window": rate.window, "used": used_amount, "requested": amount_of_unit, "resets": resets,
    }  # fmt: skip
    earlier_quotas = tuple(Quota(q.rate, q.used - amount.of(q.rate.unit), q.seconds, q.length) for q in quotas)
    raise QuotaError("quota-exceeded", detail, (), facts, None if hopeless else worst.seconds, earlier_quotas)
