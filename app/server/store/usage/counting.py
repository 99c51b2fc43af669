"""Usage of callers, counted in windows of the calendar (UTC), and their limits.

A request is one statement: a row for each window that it falls into, added to or made, whose new totals come back. Above a limit
the transaction is rolled back, so a refused request leaves nothing. Rows are locked until the decision, so that concurrent
requests to several servers see each other.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Final

from sqlalchemy import Connection, delete, func, select, text
from sqlalchemy import Engine as Database

from app.running.rates import Amount, Charge, Quota, QuotaError, Room, Window, check_quotas, window_bounds
from app.server.store.database.clock import database_now
from app.server.store.tables import FeedbackRow, JobRow, UsageRow
from app.server.store.usage.headroom import Headroom
from app.server.store.usage.tally import Tally, TallyKey, Totals

__all__ = ["JobAdmission", "Usage", "UsageStore", "check_room", "check_stored"]

ACTIVE: Final = ("queued", "running")
# Any number that nothing else locks in this database.
ADMISSION_LOCK: Final = 417_373_617_980
# Seconds between two readings of the database's time; counts of a minute are cached for as long.
CLOCK_SECONDS: Final = 60.0
MINUTES_KEPT: Final = 3600
# Seconds after which it is worth asking again where other jobs must end first.
JOBS_RETRY: Final = 10


@dataclass(frozen=True)
class Usage:
    """Usage in a window that began at `start`, in seconds since 1970; `key` is empty for an owner over all keys."""

    owner: str
    key: str
    start: int
    segments: int
    characters: int
    requests: int
    jobs: int


class JobAdmission:
    """Check at the end of the transaction that queues a job; afterwards `quotas` holds the rates in force."""

    def __init__(
        self,
        usage: "UsageStore",
        owner: str,
        room: Room,
        charge: Callable[[], Charge | None],
        check: Callable[[Connection], None] | None = None,
    ) -> None:
        """`check` runs first, and raises if the caller may no longer create the job."""
        self.quotas: tuple[Quota, ...] = ()
        self._usage, self._owner, self._room, self._charge, self._check = usage, owner, room, charge, check

    def __call__(self, connection: Connection) -> None:
        """Count the inserted job; QuotaError above a limit."""
        if self._check is not None:
            self._check(connection)
        check_room(connection, self._owner, self._room)
        charge = self._charge()
        if charge is not None:
            self.quotas = self._usage.count(connection, charge, self._usage.now(connection))


class UsageStore:
    """All counting; safe to use from any thread and process."""

    def __init__(
        self, database: Database, clock: Callable[[], float] | None = None, turn: AbstractContextManager[None] | None = None
    ) -> None:
        """`clock` is the database's, which all servers share, unless a test has one of its own.

        `turn` is a lock of processes that write often: SQLite's own wait for another writer looks only every few milliseconds.
        """
        self._database = database
        self._turn = turn or nullcontext()
        self._clock = clock
        self._offset, self._compare_time = 0.0, -CLOCK_SECONDS
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._tally, self._headroom = Tally(self._write_tally), Headroom()

    def now(self, connection: Connection) -> float:
        """Seconds since 1970 by the clock of the database, asked once in a while."""
        if self._clock is not None:
            return self._clock()
        if time.monotonic() - self._compare_time >= CLOCK_SECONDS:
            self._offset = float(connection.scalar(select(database_now())) or 0.0) - time.time()
            self._compare_time = time.monotonic()
        return time.time() + self._offset

    def note(self, charge: Charge) -> tuple[float, tuple[Quota, ...]] | None:
        """Count a call later, together with others; return its time and its rates, or None if only `charge` may count it."""
        now = time.time() + self._offset if self._clock is None else self._clock()
        quotas = self._headroom.take(charge, now) if charge.is_limited else ()
        if quotas is not None:
            self._tally.add(charge, now)
        return None if quotas is None else (now, quotas)

    def flush(self) -> None:
        """Write all noted counts; InputError if the database fails."""
        self._tally.flush()

    def _write_tally(self, totals: Mapping[TallyKey, Totals]) -> None:
        with self._counting() as connection:
            self.now(connection)
            # In one order, as in a request.
            for (owner, key, _, *rates), (amount, requests, moment) in sorted(totals.items(), key=lambda item: item[0][:3]):
                _add(connection, Charge(owner, key, amount, requests, 0, *rates), moment)

    def charge(self, charge: Charge) -> tuple[float, tuple[Quota, ...]]:
        """Count a call at once: when that was, and the rates that hold; QuotaError, and nothing is counted, beyond one of them."""
        earlier = self._headroom.memory_amount(charge)
        self._tally.flush()
        with self._counting() as connection:
            now = self.now(connection)
            quotas = self.count(connection, charge, now)
        self._headroom.learn(charge, quotas, now, earlier)
        return now, quotas

    def refund(self, charge: Charge, moment: float) -> None:
        """Undo a count of an earlier moment; at once if a rate holds, since another process may ask for the amount now."""
        amount = Amount(-charge.amount.segments, -charge.amount.characters)
        reversal = replace(charge, amount=amount, requests=-charge.requests)
        if not charge.is_limited:
            self._tally.add(reversal, moment)
            return
        with self._counting() as connection:
            _add(connection, reversal, moment)

    def count(self, connection: Connection, charge: Charge, now: float) -> tuple[Quota, ...]:
        """Count in the caller's transaction, which is rolled back at a QuotaError."""
        totals = _add(connection, charge, now)
        quotas = []
        for key, rates in ((charge.key, charge.key_rates), ("", charge.owner_rates)):
            for rate in rates:
                begin, end = window_bounds(rate.window, now)
                quotas.append(Quota(rate, totals[key, rate.window].of(rate.unit), ceil(end - now), end - begin))
        check_quotas(quotas, charge.amount, now)
        if charge.is_limited:
            self._forget_minutes(connection, charge, totals, now)
        return tuple(quotas)

    @staticmethod
    def _forget_minutes(connection: Connection, charge: Charge, totals: Mapping[tuple[str, str], Amount], now: float) -> None:
        """Old counts of minutes are deleted when a new minute begins, so once a minute at most."""
        if totals.get((charge.key, "minute"), totals.get(("", "minute"))) != charge.amount:
            return
        old = (UsageRow.owner == charge.owner, UsageRow.period == "minute", UsageRow.start < now - MINUTES_KEPT)
        connection.execute(delete(UsageRow).where(*old))

    @contextmanager
    def _counting(self) -> Iterator[Connection]:
        """A transaction. SQLite has one writer at a time, which has a connection of its own that does not wait for the disk.

        Such counts survive the end of the process; a power failure may lose the last of them.
        """
        if self._database.dialect.name != "sqlite":
            with self._database.begin() as connection:
                yield connection
            return
        with self._lock, self._turn:
            if self._connection is None:
                self._connection = self._database.connect()
                self._connection.exec_driver_sql("PRAGMA synchronous=NORMAL")
                self._connection.rollback()
            with self._connection.begin():
                yield self._connection

    def check_room(self, owner: str, room: Room) -> None:
        """QuotaError if an owner may queue no other job; the check precedes reading and planning."""
        if room != Room():
            with self._database.connect() as connection:
                check_room(connection, owner, room, coming=1)

    def used(self, period: Window, since: float, owner: str | None = None, keys: bool = False) -> list[Usage]:
        """Usage in windows from a moment on, the oldest first: by owners over all keys, or by `keys`, and of one owner.

        It includes notes of this process; notes of other processes come a moment later.
        """
        self.flush()
        row = UsageRow
        query = select(row).where(row.period == period, row.start >= window_bounds(period, since)[0], (row.key != "") == keys)
        if owner is not None:
            query = query.where(row.owner == owner)
        with self._database.connect() as connection:
            rows = connection.execute(query.order_by(row.start, row.owner, row.key))
            return [Usage(r.owner, r.key, r.start, r.segments, r.characters, r.requests, r.jobs) for r in rows]

    def stored(self, owner: str) -> int:
        """Bytes that an owner keeps: jobs with all that belongs to them, and feedback."""
        with self._database.connect() as connection:
            return _stored(connection, owner)

    def active(self, owner: str) -> int:
        """Jobs of an owner that are queued or run."""
        with self._database.connect() as connection:
            return _active(connection, owner)


def check_room(connection: Connection, owner: str, room: Room, coming: int = 0) -> None:
    """QuotaError where there are too many jobs, or an owner keeps too much; `coming` jobs, of a byte at least, are not there yet.

    In PostgreSQL those who ask in a transaction that has written go one after the other until they commit, as in SQLite anyway.
    """
    if room == Room():
        return
    if not coming and connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ADMISSION_LOCK})"))
    if room.jobs_at_once is not None and (active := _active(connection, owner)) + coming > room.jobs_at_once:
        facts = {"violated-policies": ["jobs-at-once"], "limit": room.jobs_at_once, "used": active + coming - 1}
        detail = f"{room.jobs_at_once} jobs of an owner may be queued or run at once; wait for one, or cancel one"
        raise QuotaError("too-many-jobs", detail, (), facts, JOBS_RETRY)
    if room.stored_bytes is not None:
        check_stored(connection, owner, room.stored_bytes, coming)
    if room.queued is not None:
        query = select(func.count()).select_from(JobRow).where(JobRow.state == "queued")
        if int(connection.scalar(query) or 0) + coming > room.queued:
            facts = {"violated-policies": ["queued-jobs"], "limit": room.queued}
            raise QuotaError("queue-full", f"{room.queued} jobs wait already; ask again later", (), facts, JOBS_RETRY)


def check_stored(connection: Connection, owner: str, limit: int, coming: int = 0) -> None:
    """QuotaError where an owner keeps more bytes than that."""
    stored = _stored(connection, owner) + coming
    if stored > limit:
        facts = {"violated-policies": ["stored-bytes"], "limit": limit, "used": stored}
        detail = f"an owner keeps at most {limit} bytes, and this would make {stored}; delete jobs that are done with"
        raise QuotaError("storage-quota-exceeded", detail, (), facts)


def _active(connection: Connection, owner: str) -> int:
    query = select(func.count()).select_from(JobRow).where(JobRow.state.in_(ACTIVE), JobRow.owner == owner)
    return int(connection.scalar(query) or 0)


def _stored(connection: Connection, owner: str) -> int:
    jobs = select(func.sum(JobRow.stored_bytes + JobRow.checkpoint_bytes)).where(JobRow.owner == owner)
    feedback = select(func.sum(FeedbackRow.stored_bytes)).where(FeedbackRow.owner == owner)
    return sum(int(connection.scalar(query) or 0) for query in (jobs, feedback))


@lru_cache(maxsize=64)
def _statement(mark: str, rows: int) -> str:
    values = ", ".join([f"({', '.join([mark] * 8)})"] * rows)
    count_names = ("segments", "characters", "requests", "jobs")
    return (
        f"INSERT INTO usage_counts (owner, key, period, start, {', '.join(count_names)}) VALUES {values} "  # noqa: S608
        "ON CONFLICT (owner, key, period, start) DO UPDATE SET "
        f"{', '.join(f'{name} = usage_counts.{name} + excluded.{name}' for name in count_names)} "
        "RETURNING key, period, segments, characters"
    )


def _add(connection: Connection, charge: Charge, now: float) -> dict[tuple[str, str], Amount]:
    """Add a request to its windows in one statement: the new amounts by key (empty for the owner) and window.

    Days and months are always counted, for display and for later limits; minutes only for a limit in force.
    """
    windows: list[tuple[str, Window]] = [(key, window) for key in ("", charge.key) for window in ("day", "month")]
    for key, rates in (("", charge.owner_rates), (charge.key, charge.key_rates)):
        windows += [(key, "minute")] if any(rate.window == "minute" for rate in rates) else []
    count_values = charge.amount.segments, charge.amount.characters, charge.requests, charge.jobs
    # A fixed order of rows prevents deadlocks.
    rows = [(charge.owner, key, window, window_bounds(window, now)[0], *count_values) for key, window in sorted(windows)]
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    values = tuple(value for row in rows for value in row)
    answer_rows = connection.exec_driver_sql(_statement(mark, len(rows)), values)
    return {(key, window): Amount(segments, characters) for key, window, segments, characters in answer_rows}
