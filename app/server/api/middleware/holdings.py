"""Holdings of clients: how much each one has of something limited, in one process or over several."""

from collections import Counter
from typing import Final, Protocol

import numpy as np

from app.running.sharing import Sharing
from app.server.service.turns import Client

__all__ = ["Holdings", "LocalHoldings", "SharedHoldings", "column_of"]

# Columns of clients, which are found by their hash: two of a hundred clients at once share a column with a probability of 2 %.
COLUMNS: Final = 4096


class Holdings(Protocol):
    """Amounts by client."""

    @property
    def total(self) -> int:
        """Amount of all clients."""

    @property
    def clients(self) -> int:
        """Number of clients with some."""

    def of(self, client: Client) -> int:
        """Amount of a client."""

    def add(self, client: Client, count: int) -> None:
        """Give a client more, or less for a negative count."""


class LocalHoldings:
    """Holdings in one process."""

    def __init__(self) -> None:
        self._counts: Counter[Client] = Counter()
        self.total = 0

    @property
    def clients(self) -> int:
        """Number of clients with some."""
        return len(self._counts)

    def of(self, client: Client) -> int:
        """Amount of a client."""
        return self._counts[client]

    def add(self, client: Client, count: int) -> None:
        """Give a client more, or less for a negative count."""
        self.total += count
        self._counts[client] += count
        if not self._counts[client]:
            del self._counts[client]


class SharedHoldings:
    """Holdings over several processes. Two processes may decide at the same moment, so a limit may be passed by one for each."""

    def __init__(self, sharing: Sharing) -> None:
        self._counts = sharing.counts(1 + COLUMNS)

    @property
    def total(self) -> int:
        """Amount of all clients."""
        return self._counts.total()

    @property
    def clients(self) -> int:
        """Number of clients with some."""
        return int(np.count_nonzero(self._counts.totals()[1:]))

    def of(self, client: Client) -> int:
        """Amount of a client."""
        return self._counts.total(column_of(client))

    def add(self, client: Client, count: int) -> None:
        """Give a client more, or less for a negative count."""
        self._counts.add(count)
        self._counts.add(count, column_of(client))


def column_of(client: Client) -> int:
    """Column of a client. Forked processes have one secret of hashes, which no client knows."""
    return 1 + hash(client) % COLUMNS
