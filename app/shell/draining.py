"""A server that is told to stop answers what it was asked before it ends."""

import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

import uvicorn

__all__ = ["DrainingServer"]

# What a shell answers for a process that a signal ended.
BY_SIGNAL: Final = 128


class DrainingServer(uvicorn.Server):
    """The first SIGTERM or SIGINT lets requests finish and ends with exit code 0; the second ends at once."""

    def __init__(self, config: uvicorn.Config, begin_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._begin_stop = begin_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, or end. (Uvicorn would end by the signal itself, and wait on where the second is SIGTERM.)"""
        if self.should_exit:
            os._exit(BY_SIGNAL + signal.Signals(sig))
        self.should_exit = True
        self._begin_stop()
