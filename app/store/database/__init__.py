"""The database itself: opened, brought up to date, told the time by, and what it is called when it fails."""

from sqlalchemy import Engine as Database

from app.store.database.failures import DatabaseUnavailableError
from app.store.database.migrating import current_revision, known_revisions, migrate_database, newest_revision
from app.store.database.opening import check_database, open_database

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
