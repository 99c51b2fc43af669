"""Connections of one process among several that listen at the same port: each process takes its share of them.

A process that wakes first would take every waiting connection, and answer them on one core while the other processes are idle.
"""

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any, Final

from app.running.sharing import Sharing

__all__ = ["Acceptance", "CountedConnections"]

log = logging.getLogger("assay")
# A process with more connections than another leaves a waiting one to it for this long.
POLITE_SECONDS: Final = 0.001
# Part of its connections that a process may have beyond those of another.
TOLERANCE: Final = 16
# Pause after the system had no room for a connection.
PAUSE_SECONDS: Final = 0.5


class CountedConnections(set[Any]):
    """Open connections of a process, whose number other processes see."""

    def __init__(self, sharing: Sharing) -> None:
        super().__init__()
        self._sharing = sharing

    def add(self, connection: Any) -> None:
        """Add an opened connection."""
        super().add(connection)
        self._sharing.connections.set(len(self))

    def discard(self, connection: Any) -> None:
        """Remove a closed connection."""
        super().discard(connection)
        self._sharing.connections.set(len(self))


class Acceptance:
    """Accepts connections of a listening socket one at a time."""

    def __init__(
        self, listener: socket.socket, protocol: Callable[[], asyncio.Protocol], connections: CountedConnections, sharing: Sharing
    ) -> None:
        self._listener, self._protocol, self._connections, self._sharing = listener, protocol, connections, sharing
        places = range(sharing.processes)
        # The process that answers during the load has no rivals.
        self._rivals = [place for place in places if place != sharing.place] if sharing.place in places else []
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[Any]] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._was_polite = False
        self._resume()

    def close(self) -> None:
        """Accept nothing any more; this process closes its descriptor of the socket."""
        if self._pause is not None:
            self._pause.cancel()
        else:
            self._loop.remove_reader(self._listener)
        self._listener.close()

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listener, self._accept)

    def _wait(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(seconds, self._resume)

    def _accept(self) -> None:
        if self._has_enough() and not self._was_polite:
            self._was_polite = True
            self._wait(POLITE_SECONDS)
            return
        self._was_polite = False
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            # Another process was faster, or the caller has left.
            return
        except OSError as error:
            log.warning("no connection can be accepted: %s", error.strerror)
            self._wait(PAUSE_SECONDS)
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opening = self._loop.create_task(self._loop.connect_accepted_socket(self._protocol, connection))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)

    def _has_enough(self) -> bool:
        """Return True if another process has clearly fewer connections."""
        if not self._rivals:
            return False
        count = len(self._connections) + len(self._opening)
        counts = zip(self._sharing.connections.of(self._rivals), self._sharing.running.of(self._rivals), strict=True)
        minimum = min((rival_count for rival_count, runs in counts if runs), default=count)
        return count > minimum + count // TOLERANCE
