"""A process that answers requests beside others at one port."""

import asyncio
import signal
from collections.abc import Callable
from socket import socket
from types import FrameType
from typing import cast

import uvicorn

from app.running.sharing import Sharing
from app.shell.serving.accepting import Acceptance, CountedConnections

__all__ = ["AnsweringServer"]


class AnsweringServer(uvicorn.Server):
    """Answers until SIGTERM, then finishes its requests. Only its supervisor counts signals, so another SIGTERM changes nothing.

    A terminal sends SIGINT to all processes; the supervisor alone acts on it.
    """

    def __init__(self, config: uvicorn.Config, listeners: list[socket], sharing: Sharing, begin_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._listeners, self._sharing, self._begin_stop = listeners, sharing, begin_stop
        self._connections = CountedConnections(sharing)
        self.server_state.connections = self._connections
        self._acceptances: list[Acceptance] = []

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start the service, then accept connections."""
        await super().startup(sockets=[])

        def protocol() -> asyncio.Protocol:
            protocol_class = cast(Callable[..., asyncio.Protocol], self.config.http_protocol_class)
            return protocol_class(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

        self._acceptances = [Acceptance(listener, protocol, self._connections, self._sharing) for listener in self._listeners]

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Accept nothing any more, and finish the requests."""
        for acceptance in self._acceptances:
            acceptance.close()
        await super().shutdown(sockets=[])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop at SIGTERM."""
        if sig == signal.SIGTERM and not self.should_exit:
            self.should_exit = True
            self._begin_stop()
