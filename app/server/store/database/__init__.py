"""The database itself: opened, brought up to date, told the time by, and what it is called when it fails."""

from sqlalchemy import Engine as Database

from app.server.store.database.failures import DatabaseDamagedError, DatabaseUnavailableError, is_damaged
from app.server.store.database.migrating import current_revision, known_revisions, migrate_database, newest_revision, schema_fault
from app.server.store.database.opening import check_database, open_database

__all__ = [
    "Database",
    "DatabaseDamagedError",
    "DatabaseUnavailableError",
    "check_database",
    "current_revision",
    "is_damaged",
    "known_revisions",
    "migrate_database",
    "newest_revision",
    "open_database",
    "schema_fault",
]
