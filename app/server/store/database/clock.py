"""The clock of the database: one for all servers and workers, whatever their own say."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Float, or_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from app.server.store.tables import JobRow

__all__ = ["database_now", "lease_over"]

# No lease is so long: what says otherwise was written by a clock that was wrong.
LONGEST_LEASE: Final = 86400.0


class database_now(FunctionElement[float]):  # noqa: N801  (SQL functions are small)
    """Seconds since 1970 at the moment of the statement."""

    type = Float()
    inherit_cache = True


@compiles(database_now, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(database_now)
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "extract(epoch from clock_timestamp())::double precision"


def lease_over() -> ColumnElement[bool]:
    """Return True if a job's worker has been silent for too long."""
    return or_(JobRow.lease_expires < database_now(), JobRow.lease_expires > database_now() + LONGEST_LEASE)
