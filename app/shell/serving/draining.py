"""A server that answers its open requests before it ends."""

import os
import signal
from collections.abc import Callable
from socket import socket
from types import FrameType
from typing import Final

import uvicorn

__all__ = ["BY_SIGNAL", "DrainingServer"]

# A shell's status of a process that a signal ended: this and the number of the signal.
BY_SIGNAL: Final = 128


class DrainingServer(uvicorn.Server):
    """The first SIGTERM or SIGINT lets requests finish and ends with exit code 0; the second ends at once."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[int], None], begin_stop: Callable[[], None]) -> None:
        """`announce` takes the port once callers can connect; `begin_stop` refuses new requests from then on."""
        super().__init__(config)
        self._announce, self._begin_stop = announce, begin_stop

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Listen, and announce the port if that succeeds."""
        await super().startup(sockets)
        if self.started:
            self._announce(int(self.servers[0].sockets[0].getsockname()[1]))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, or end. (Uvicorn would end by the signal itself, and wait on where the second is SIGTERM.)"""
        if self.should_exit:
            os._exit(BY_SIGNAL + signal.Signals(sig))
        self.should_exit = True
        self._begin_stop()
