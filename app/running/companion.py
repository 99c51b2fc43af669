"""A thread beside the work of a process."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from app.errors import InputError

__all__ = ["Companion"]

log = logging.getLogger("assay")
# Seconds that the end of a process waits for an action, such as the copy of a large model.
STOP_SECONDS: Final = 5.0


class Companion:
    """A thread that repeats actions every few seconds while a process lives; a store that does not answer is asked again."""

    def __init__(self, actions: Sequence[Callable[[], None]], seconds: float) -> None:
        self._actions = actions
        self._seconds = seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="companion", daemon=True)

    def start(self) -> None:
        """Begin; the first actions come at once."""
        self._thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """End after the action at hand, or leave it to the end of the process after some seconds."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            for action in self._actions:
                try:
                    action()
                except InputError as error:
                    log.warning("%s", error.detail)
                except Exception:
                    log.exception("an action beside the work failed")
            if self._stopping.wait(self._seconds):
                return
