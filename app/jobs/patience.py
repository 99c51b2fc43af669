"""What workers do while the database does not answer or a disk has no room: wait, with growing pauses, and lose nothing."""

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from app.errors import is_disk_full
from app.jobs.waiting import Pauses
from app.store.database import DatabaseUnavailableError

__all__ = ["patiently"]

log = logging.getLogger("assay.worker")
# Between two looks whether there is still a reason to wait.
LOOK_SECONDS: Final = 0.2
T = TypeVar("T")


def patiently(call: Callable[[], T], check: Callable[[], object]) -> T:
    """What `call` gives as soon as the database answers and has room; `check` raises where nobody need wait any longer."""
    pauses = Pauses()
    while True:
        try:
            return call()
        except Exception as error:
            full = is_disk_full(error)
            if not full and not isinstance(error, DatabaseUnavailableError):
                raise
        pause = next(pauses)
        log.warning("%s; trying again in %.1f s", "there is no room on the disk" if full else "the database does not answer", pause)
        until = time.monotonic() + pause
        while time.monotonic() < until:
            check()
            time.sleep(min(LOOK_SECONDS, pause))
