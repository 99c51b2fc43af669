"""Accounts that are far from their limits, whose calls need no count in the database before the answer."""

import threading
from dataclasses import dataclass
from math import ceil
from typing import Final

from app.running.rates import ZERO, Amount, Charge, Quota, Rate, window_bounds

__all__ = ["Headroom"]

# A process counts in memory for a second after an exact count, up to this part of a limit, while half of the limit is unused.
EXACT_SECONDS: Final = 1.0
PART: Final = 200
MOST_ACCOUNTS: Final = 10_000


@dataclass
class _Account:
    """The last exact count of an account, and the amounts counted in memory until it and since."""

    rates: tuple[Rate, ...] = ()
    quotas: tuple[Quota, ...] = ()
    moment: float = 0.0
    earlier: Amount = ZERO
    total: Amount = ZERO


class Headroom:
    """Accounts that are far from their limits; safe to use from any thread.

    Each process has its own view, so the processes of a service may together pass a limit by a two-hundredth each.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accounts: dict[tuple[str, str], _Account] = {}

    def take(self, charge: Charge, now: float) -> tuple[Quota, ...] | None:
        """Quotas that include the charge; None if it must be counted before the answer."""
        if charge.key_rates and charge.owner_rates:
            return None
        with self._lock:
            account = self._accounts.get(_name(charge))
            rates = charge.key_rates or charge.owner_rates
            if account is None or account.rates != rates or not 0 <= now - account.moment < EXACT_SECONDS:
                return None
            total = account.total + charge.amount
            quotas = []
            for quota in account.quotas:
                rate = quota.rate
                begin, end = window_bounds(rate.window, now)
                increase = total.of(rate.unit) - account.earlier.of(rate.unit)
                if begin > account.moment or increase * PART > rate.limit or 2 * (quota.used + increase) > rate.limit:
                    return None
                quotas.append(Quota(rate, quota.used + increase, ceil(end - now), quota.length))
            account.total = total
            return tuple(quotas)

    def memory_amount(self, charge: Charge) -> Amount:
        """Amount that was ever counted in memory for the account of a charge."""
        with self._lock:
            account = self._accounts.get(_name(charge))
            return ZERO if account is None else account.total

    def learn(self, charge: Charge, quotas: tuple[Quota, ...], now: float, earlier: Amount) -> None:
        """Take over an exact count, which includes at least the amounts `earlier` of this process."""
        with self._lock:
            if len(self._accounts) >= MOST_ACCOUNTS:
                self._accounts.clear()
            account = self._accounts.setdefault(_name(charge), _Account())
            # A part may have been forgotten between.
            account.total = max(account.total, earlier, key=lambda amount: (amount.segments, amount.characters))
            account.rates, account.quotas = charge.key_rates or charge.owner_rates, quotas
            account.moment, account.earlier = now, earlier


def _name(charge: Charge) -> tuple[str, str]:
    return charge.owner, charge.key if charge.key_rates else ""
