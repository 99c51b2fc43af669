"""Counts of calls far from any limit, gathered in memory and written together a moment later, so that such calls wait for no disk.

Calls near a limit are counted before they are answered, in `counting`. A killed process loses the counts that it had not written.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final

from app.errors import InputError
from app.running.rates import ZERO, Amount, Charge, Rate, window_bounds

__all__ = ["WRITTEN_SECONDS", "Tally", "TallyKey", "Totals"]

log = logging.getLogger("assay")
# Less than half of a second: what is deleted of an owner, soon after the keys opened nothing any more, does not come back.
WRITTEN_SECONDS: Final = 0.25
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
