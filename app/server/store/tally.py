"""Counts of calls far from any limit, gathered in memory and written together a moment later, so that such calls wait for no disk.

Calls near a limit are counted before they are answered, in `usage`. A killed process loses the counts that it had not written.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

from app.errors import InputError
from app.running.rates import ZERO, Amount, Charge, Quota, Rate, window_bounds

__all__ = ["WRITTEN_SECONDS", "Headroom", "Tally", "TallyKey", "Totals"]

log = logging.getLogger("assay")
# Less than half of a second: what is deleted of an owner, soon after the keys opened nothing any more, does not come back.
WRITTEN_SECONDS: Final = 0.25
# A process counts in memory for a second after an exact count, up to this part of a limit, while half of the limit is unused.
EXACT_SECONDS: Final = 1.0
PART: Final = 200
MOST_ACCOUNTS: Final = 10_000
# Owner, key, the begin of a minute, and the rates of the key and of the owner.
TallyKey = tuple[str, str, int, tuple[Rate, ...], tuple[Rate, ...]]
# Amounts and requests, and a moment of the minute.
Totals = tuple[Amount, int, float]


class Tally:
    """Usage to write; safe to use from any thread."""

    def __init__(self, write: Callable[[Mapping[TallyKey, Totals]], None]) -> None:
        """`write` adds totals to the database, all or none; it may raise InputError, and is called again later."""
        self._write = write
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._totals: dict[TallyKey, Totals] = {}
        self._timer: threading.Timer | None = None

    def add(self, charge: Charge, moment: float) -> None:
        """Count a call at a moment; negative amounts undo an earlier count."""
        begin = window_bounds("minute", moment)[0]
        with self._lock:
            account = charge.owner, charge.key, begin, charge.key_rates, charge.owner_rates
            self._add(account, (charge.amount, charge.requests, moment))
            if self._timer is None:
                self._timer = threading.Timer(WRITTEN_SECONDS, self._write_later)
                self._timer.daemon = True
                self._timer.start()

    def _add(self, account: TallyKey, totals: Totals) -> None:
        amount, requests, _ = self._totals.get(account, (ZERO, 0, 0.0))
        self._totals[account] = amount + totals[0], requests + totals[1], totals[2]

    def flush(self) -> None:
        """Write all counts; InputError if the database fails, and the counts stay."""
        with self._writing:
            with self._lock:
                totals, self._totals = self._totals, {}
                self._timer = None
            if not totals:
                return
            try:
                self._write(totals)
            except BaseException:
                with self._lock:
                    for account, total in totals.items():
                        self._add(account, total)
                raise

    def _write_later(self) -> None:
        try:
            self.flush()
        except InputError as error:
            # The next call that is counted brings another attempt.
            log.warning("counts of use wait to be written: %s", error)


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
            account = self._accounts.setdefault(_name(charge), _Account(total=earlier))
            account.rates, account.quotas = charge.key_rates or charge.owner_rates, quotas
            account.moment, account.earlier = now, earlier


def _name(charge: Charge) -> tuple[str, str]:
    return charge.owner, charge.key if charge.key_rates else ""
