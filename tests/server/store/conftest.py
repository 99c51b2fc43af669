"""Both sides of the jobs of one database."""

import pytest
from sqlalchemy import Engine as Database

from app.server.store import JobQueue, JobStore


@pytest.fixture
def store(database: Database) -> JobStore:
    return JobStore(database)


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, 30.0)
