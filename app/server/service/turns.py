"""Turns of clients for few places: of those that wait, the client with the fewest occupied places is next."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

__all__ = ["Client", "Turns", "client_of"]

# Address and name of the key; empty without a key.
Client = tuple[str, str]


def client_of(scope: Mapping[str, Any], name: str) -> Client:
    """The client of a request, with the name of its key."""
    return _household((scope.get("client") or ("",))[0]), name


def _household(host: str) -> str:
    """Identity of a client: an address, or an IPv6 network of one household."""
    if ":" not in host:
        return host
    try:
        return str(ip_network((host.partition("%")[0], 64), strict=False))
    except ValueError:
        return host


class Turns:
    """`places` at the same time; all methods run in one event loop."""

    def __init__(self, places: int) -> None:
        self._free_count = places
        self._occupied_places: Counter[Hashable] = Counter()
        self._rows: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, client: Hashable) -> AsyncIterator[None]:
        """Wait for a place, and occupy it within the context."""
        await self._occupy(client)
        try:
            yield
        finally:
            self._leave(client)

    async def _occupy(self, client: Hashable) -> None:
        if self._free_count and not self._rows:
            self._take(client)
            return
        waiting = asyncio.get_running_loop().create_future()
        self._rows.setdefault(client, deque()).append(waiting)
        try:
            await waiting
        except asyncio.CancelledError:
            # The place may have come at the moment of leaving.
            if waiting.done() and not waiting.cancelled():
                self._leave(client)
            else:
                self._forget(client, waiting)
            raise

    def _take(self, client: Hashable) -> None:
        self._free_count -= 1
        self._occupied_places[client] += 1

    def _leave(self, client: Hashable) -> None:
        self._free_count += 1
        self._occupied_places[client] -= 1
        if not self._occupied_places[client]:
            del self._occupied_places[client]
        if self._rows:
            following = min(self._rows, key=lambda name: self._occupied_places[name])
            questions = self._rows[following]
            waiting = questions.popleft()
            self._rows.move_to_end(following)
            if not questions:
                del self._rows[following]
            self._take(following)
            waiting.set_result(None)

    def _forget(self, client: Hashable, waiting: "asyncio.Future[None]") -> None:
        self._rows[client].remove(waiting)
        if not self._rows[client]:
            del self._rows[client]
