"""Counts of calls that no limit holds, gathered in memory and written together a moment later, so that such calls wait for no disk.

Callers with a limit are counted before they are answered, in `usage`. A process that is killed loses what it had not written.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final

from app.errors import InputError
from app.running.rates import Amount, window_bounds

__all__ = ["WRITTEN_SECONDS", "Tally", "TallyKey", "Totals"]

log = logging.getLogger("assay")
# Less than half of a second: what is deleted of an owner, soon after the keys opened nothing any more, does not come back.
WRITTEN_SECONDS: Final = 0.25
# Owner, key and the begin of a day.
TallyKey = tuple[str, str, int]
# Amounts and requests, and a moment of the day.
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

    def add(self, owner: str, key: str, amount: Amount, requests: int, moment: float) -> None:
        """Count a request at a moment; negative amounts undo an earlier count."""
        account = owner, key, window_bounds("day", moment)[0]
        with self._lock:
            self._add(account, (amount, requests, moment))
            if self._timer is None:
                self._timer = threading.Timer(WRITTEN_SECONDS, self._write_later)
                self._timer.daemon = True
                self._timer.start()

    def _add(self, account: TallyKey, totals: Totals) -> None:
        amount, requests, _ = self._totals.get(account, (Amount(), 0, 0.0))
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
