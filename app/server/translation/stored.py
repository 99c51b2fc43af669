"""Stored translations of services, each for its owner, and the characters that each service may still translate today."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, delete, select, text, tuple_, update
from sqlalchemy import Engine as Database

from app.server.store.database.clock import database_now
from app.server.store.tables import ServiceDayRow, TranslationRow

__all__ = ["TranslationStore"]

DAY: Final = 86400
# Digests in one query.
SLICE: Final = 500
DAYS_KEPT: Final = 31
# Both databases understand both statements.
NEW_DAY: Final = text("INSERT INTO service_days (service, day, characters) VALUES (:service, :day, 0) ON CONFLICT DO NOTHING")
KEEP: Final = text(
    "INSERT INTO translations (owner, digest, text, created) VALUES (:owner, :digest, :text, :created) "
    "ON CONFLICT (owner, digest) DO UPDATE SET text = excluded.text, created = excluded.created"
)


class TranslationStore:
    """Translations and budgets in a database that servers, workers and commands share."""

    def __init__(self, database: Database, limit: int, days: float) -> None:
        """`limit` translations are stored, none older than `days`."""
        self._database = database
        self._limit = limit
        self._days = days

    def stored(self, owner: str, digests: Sequence[str]) -> Mapping[str, str]:
        """Translations of an owner by digest, without those that are too old."""
        matches: dict[str, str] = {}
        columns = select(TranslationRow.digest, TranslationRow.text)
        query = columns.where(TranslationRow.owner == owner, TranslationRow.created > database_now() - self._days * DAY)
        with self._database.connect() as connection:
            for begin in range(0, len(digests), SLICE):
                rows = connection.execute(query.where(TranslationRow.digest.in_(digests[begin : begin + SLICE])))
                matches.update((row.digest, row.text) for row in rows)
        return matches

    def store(self, owner: str, translations: Mapping[str, str], check: Callable[[Connection], None] | None = None) -> None:
        """Store translations by digest; the oldest beyond the limit are deleted.

        `check` raises in the same transaction if nothing of this owner may be stored any more.
        """
        if not self._limit:
            return
        key = tuple_(TranslationRow.owner, TranslationRow.digest)
        newest_first = (TranslationRow.created.desc(), TranslationRow.owner, TranslationRow.digest)
        oldest = select(TranslationRow.owner, TranslationRow.digest).order_by(*newest_first).offset(self._limit)
        with self._database.begin() as connection:
            if check is not None:
                check(connection)
            now = float(connection.scalar(select(database_now())) or 0.0)
            # In one order, so that no two processes wait for each other.
            rows = [
                {"owner": owner, "digest": digest, "text": text, "created": now} for digest, text in sorted(translations.items())
            ]
            connection.execute(KEEP, rows)
            connection.execute(delete(TranslationRow).where(key.in_(oldest)))

    def reserve(self, service: str, characters: int, limit: int) -> bool:
        """Count characters of today; return False, and count nothing, beyond the day's `limit`."""
        with self._database.begin() as connection:
            day = self._today(connection.scalar(select(database_now())))
            if connection.execute(NEW_DAY, {"service": service, "day": day}).rowcount:
                connection.execute(delete(ServiceDayRow).where(ServiceDayRow.day < day - DAYS_KEPT))
            count = ServiceDayRow.characters + characters
            today = update(ServiceDayRow).where(ServiceDayRow.service == service, ServiceDayRow.day == day)
            return connection.execute(today.where(count <= limit).values(characters=count)).rowcount == 1

    def give_back(self, service: str, characters: int) -> None:
        """Undo a count of characters that the service refused."""
        with self._database.begin() as connection:
            day = self._today(connection.scalar(select(database_now())))
            row = (ServiceDayRow.service == service, ServiceDayRow.day == day, ServiceDayRow.characters >= characters)
            connection.execute(update(ServiceDayRow).where(*row).values(characters=ServiceDayRow.characters - characters))

    def characters_today(self, service: str) -> int:
        """Characters that a service was sent today."""
        with self._database.connect() as connection:
            day = self._today(connection.scalar(select(database_now())))
            query = select(ServiceDayRow.characters).where(ServiceDayRow.service == service, ServiceDayRow.day == day)
            return int(connection.scalar(query) or 0)

    @staticmethod
    def _today(now: float | None) -> int:
        return int((now or 0.0) // DAY)
