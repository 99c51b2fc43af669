"""The database itself: opened, brought up to date, told the time by, and what it is called when it fails."""

from sqlalchemy import Engine as Database

from app.server.store.database.failures import DatabaseUnavailableError
from app.server.store.database.migrating import current_revision, known_revisions, migrate_database, newest_revision
from app.server.store.database.opening import check_database, open_database

__all__ = [
    "Database",
    "DatabaseUnavailableError",
    "check_database",
    "current_revision",
    "known_revisions",
    "migrate_database",
    "newest_revision",
    "open_database",
]
