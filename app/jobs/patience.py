"""What workers do while the database does not answer: wait, with growing pauses, and lose nothing."""

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from app.store.database import DatabaseUnavailableError

__all__ = ["patiently"]

log = logging.getLogger("assay.worker")
FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
# Between two looks whether there is still a reason to wait.
LOOK_SECONDS: Final = 0.2
T = TypeVar("T")


def patiently(call: Callable[[], T], check: Callable[[], object]) -> T:
    """What `call` gives as soon as the database answers; `check` raises where nobody need wait any longer."""
    pause = FIRST_PAUSE
    while True:
        try:
            return call()
        except DatabaseUnavailableError:
            log.warning("the database does not answer; trying again in %.1f s", pause)
        until = time.monotonic() + pause
        while time.monotonic() < until:
            check()
            time.sleep(LOOK_SECONDS)
        pause = min(2 * pause, LONGEST_PAUSE)
