"""Order of jobs: priorities, fair shares of owners, small jobs first, and no job that waits for ever.

A turn is what a worker does until it looks again: some chunks of a job, or a step at its end. Of the waiting jobs, the highest
priority goes first. Within a priority the owner with the least recent work goes first. Within an owner the job of the lowest rank
goes first: its remaining rows less its age. Every `OLDEST_EVERY`th turn of a worker goes to the oldest job instead, whatever
comes, so that each job ends.
"""

from collections.abc import Sequence
from math import log2
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Select, delete, exists, func, literal, literal_column, or_, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.running.versions import VERSION_NUMBER
from app.server.store.database.clock import database_now, lease_over
from app.server.store.tables import JobRow, ShareRow

__all__ = [
    "CHANNEL",
    "HIGH",
    "NORMAL",
    "PRIORITIES",
    "Priority",
    "Turns",
    "announce",
    "charge",
    "forget_idle_owners",
    "jobs_ahead",
    "know_owner",
    "rank_after",
    "rank_of",
]

Priority = Literal["high", "normal", "low"]
# The place of a name here is the number in the database: the lowest goes first.
PRIORITIES: Final[tuple[Priority, ...]] = ("high", "normal", "low")
NORMAL: Final[Priority] = "normal"
HIGH: Final[Priority] = "high"
OLDEST_EVERY: Final = 8
# Half life of recent work: after this time it counts half.
HALF_LIFE_SECONDS: Final = 600.0
# Minimal cost of taking a job, so that empty jobs count as well.
LEAST_CHARGE_SECONDS: Final = 0.05
# So much later may a job of the same owner come and still go first, for each row that this one has more.
PATIENCE_SECONDS: Final = 0.1
# More jobs than these are not counted one by one for each view.
COUNT_LIMIT: Final = 1000
# Where servers tell the workers of PostgreSQL that there is something to do.
CHANNEL: Final = "assay_jobs"
_OLDEST: Final = 2.0**-1000
# The logarithm of a sixteenth of a second.
NEXT_TO_NOTHING: Final = -4.0


def rank_of(rows: int) -> ColumnElement[float]:
    """Rank of a job that comes now with `rows` to do; each finished row lowers it by `PATIENCE_SECONDS`."""
    return database_now() + literal(PATIENCE_SECONDS * rows)


def rank_after(rows: int) -> ColumnElement[float]:
    """Rank of a job after `rows` more finished rows."""
    return JobRow.rank - PATIENCE_SECONDS * rows


def know_owner(session: Session, owner: str) -> None:
    """Give an owner a share, if it has none."""
    session.execute(text("INSERT INTO owner_shares (owner, served) VALUES (:owner, 0) ON CONFLICT DO NOTHING"), {"owner": owner})


def charge(session: Session, owner: str, seconds: float) -> None:
    """Note that an owner was worked for.

    The stored value is log sum_i 2^(t_i / half life), over the seconds of work i at time t_i. It orders owners by their decayed
    work at any time, and does not change while nothing happens. Of two charges of one owner at the same moment SQLite may lose
    one; shares are fair, not exact.
    """
    spent_work = select(ShareRow.served).where(ShareRow.owner == owner).scalar_subquery()
    now, served_work = session.execute(select(database_now(), spent_work)).one()
    growth = now / HALF_LIFE_SECONDS
    remaining_work = 2.0 ** min((served_work or 0.0) - growth, 60.0)
    values = {"owner": owner, "served": log2(max(remaining_work + seconds, _OLDEST)) + growth}
    session.execute(
        text(
            "INSERT INTO owner_shares (owner, served) VALUES (:owner, :served) ON CONFLICT (owner) DO UPDATE SET served = :served"
        ),
        values,
    )


def forget_idle_owners(session: Session) -> None:
    """Close the accounts of owners without jobs and with almost nothing left."""
    moment = session.scalar(select(database_now())) or 0.0
    waiting = exists().where(JobRow.finished.is_(None), JobRow.priority.in_(range(len(PRIORITIES))), JobRow.owner == ShareRow.owner)
    idle = delete(ShareRow).where(ShareRow.served < moment / HALF_LIFE_SECONDS + NEXT_TO_NOTHING, ~waiting)
    session.execute(idle.execution_options(synchronize_session=False))


def announce(session: Session) -> None:
    """Wake the workers at the end of this transaction; with SQLite they notice it themselves."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(CHANNEL, "")))


def _waits(mine: str | None = None) -> ColumnElement[bool]:
    """Return True if a job can be taken, or is `mine`; the index of unfinished jobs serves, and not that of states."""
    state = JobRow.state.concat(literal_column("''"))
    free = or_(state == "queued", (state == "running") & lease_over())
    own_job = [JobRow.id.concat(literal_column("''")) == mine] if mine is not None else []
    return JobRow.finished.is_(None) & or_(free, *own_job)


class Turns:
    """The choice of one worker among the jobs that wait; each is an indexed query or two, however many wait.

    Jobs of the kinds to `avoid` are left to other workers. So are those of other pairs than `pairs`, if any are named, and those
    that a newer version planned: this one may not understand them.
    """

    def __init__(self, avoid: Sequence[str] = (), pairs: Sequence[str] = (), version: int = VERSION_NUMBER) -> None:
        self._avoid = tuple(avoid)
        self._pairs = tuple(pairs)
        self._version = version
        self._turns = 0

    def next(self, session: Session, mine: str | None = None, fairly: bool = False) -> str | None:
        """The next job among the waiting jobs and the worker's own (`mine`); None without any.

        Where it is asked in the middle of a turn, whatever the oldest job is, it is chosen `fairly`.
        """
        highest = session.scalar(self._waiting(JobRow.priority, mine).order_by(JobRow.priority).limit(1))
        if highest is None:
            return None
        self._turns += not fairly
        job = None if self._turns % OLDEST_EVERY == 0 and not fairly else self._fair(session, highest, mine)
        # An owner without a share, whose first job comes at this moment, is not passed over.
        return job or self._oldest(session, mine)

    def _waiting(self, column: InstrumentedAttribute[Any], mine: str | None) -> Select[Any]:
        query: Select[Any] = select(column).where(_waits(mine), JobRow.version <= self._version)
        if self._pairs:
            query = query.where(or_(JobRow.pair.is_(None), JobRow.pair.in_(self._pairs)))
        return query.where(JobRow.kind.not_in(self._avoid)) if self._avoid else query

    def _fair(self, session: Session, priority: int, mine: str | None) -> str | None:
        """The first job of the owner served least; owners are asked one after the other until one has a job."""
        jobs = self._waiting(JobRow.id, mine).where(JobRow.priority == priority, JobRow.owner == ShareRow.owner)
        first = jobs.order_by(JobRow.rank, JobRow.id).limit(1).correlate(ShareRow).scalar_subquery()
        query: Select[Any] = select(first).select_from(ShareRow).where(first.is_not(None))
        job_id: str | None = session.scalar(query.order_by(ShareRow.served, ShareRow.owner).limit(1))
        return job_id

    def _oldest(self, session: Session, mine: str | None) -> str | None:
        oldest: str | None = session.scalar(self._waiting(JobRow.id, mine).order_by(JobRow.created, JobRow.id).limit(1))
        return oldest


def jobs_ahead(session: Session, job: JobRow) -> int:
    """Number of jobs before a queued one: those of higher priority, and the owner's jobs of lower rank; at most `COUNT_LIMIT`."""
    higher = select(JobRow.id).where(_waits(), JobRow.priority < job.priority)
    own_jobs = select(JobRow.id).where(_waits(), JobRow.priority == job.priority, JobRow.owner == job.owner)
    own_jobs = own_jobs.where(or_(JobRow.rank < job.rank, (JobRow.rank == job.rank) & (JobRow.id < job.id)))
    counted_jobs = [
        select(func.count()).select_from(query.limit(COUNT_LIMIT).subquery()).scalar_subquery() for query in (higher, own_jobs)
    ]
    return min(sum(session.execute(select(*counted_jobs)).one()), COUNT_LIMIT)
