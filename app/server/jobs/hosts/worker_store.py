"""Workers of all machines: signs of life in the database, by its clock."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app import __version__
from app.server.store.database.clock import database_now
from app.server.store.tables import WorkerRow

__all__ = ["WorkerStore", "WorkerView"]

# Seconds after which a worker without a sign of life is forgotten.
FORGET_SECONDS: Final = 86_400.0


@dataclass(frozen=True)
class WorkerView:
    """A worker: its machine, version, pairs (empty: all), and seconds since its last sign of life."""

    id: str
    host: str
    version: str
    pairs: tuple[str, ...]
    silent_seconds: float


class WorkerStore:
    """The workers that have given a sign of life within a day; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, worker: str, host: str, pairs: tuple[str, ...]) -> None:
        """Note that a worker lives."""
        with Session(self._database) as session, session.begin():
            row_update = session.execute(update(WorkerRow).where(WorkerRow.id == worker).values(last_sign=database_now()))
            if row_update.rowcount:  # type: ignore[attr-defined]
                return
            row = WorkerRow(id=worker, host=host, version=__version__, pairs=",".join(pairs), last_sign=database_now())
            session.add(row)
            session.execute(delete(WorkerRow).where(WorkerRow.last_sign < database_now() - FORGET_SECONDS))

    def forget(self, worker: str) -> None:
        """Remove a worker that ends."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(WorkerRow).where(WorkerRow.id == worker))

    def list(self) -> list[WorkerView]:
        """All workers, by machine and id."""
        query = select(WorkerRow, database_now() - WorkerRow.last_sign).order_by(WorkerRow.host, WorkerRow.id)
        with Session(self._database) as session:
            rows = session.execute(query).all()
        return [WorkerView(row.id, row.host, row.version, tuple(filter(None, row.pairs.split(","))), age) for row, age in rows]
