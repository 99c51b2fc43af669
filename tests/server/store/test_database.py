"""What a database that does not answer looks like, and how long one is waited for."""

import pickle
import time

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from app.operations.operation import Plan
from app.server.store import DatabaseUnavailableError, JobStore, check_database, open_database
from app.server.store.tables import JobRow
from tests.databases import Cluster
from tests.servers import free_port


def test_one_that_is_nowhere() -> None:
    database = open_database(f"postgresql://assay@127.0.0.1:{free_port()}/assay", migrate=False, wait_seconds=2)
    with pytest.raises(DatabaseUnavailableError) as error:
        check_database(database)
    assert error.value.code == "database-unavailable"
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_one_that_ends_our_connection(postgres: Cluster) -> None:
    database = open_database(postgres.new_database())
    ours = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with (
        database.connect() as connection,
        open_database(postgres.address + str(database.url.database), migrate=False).begin() as other,
    ):
        connection.execute(text("SELECT 1"))
        other.execute(ours)
        with pytest.raises(DatabaseUnavailableError):
            connection.execute(text("SELECT 1"))
        other.execute(ours)
    # The next is a new connection.
    assert JobStore(database).list() == []
    database.dispose()


def test_mistakes_of_ours_are_not_the_databases(database: Database) -> None:
    with database.connect() as connection, pytest.raises(DBAPIError):
        connection.execute(text("SELECT nothing FROM nowhere"))
    with database.connect() as connection, pytest.raises(IntegrityError):
        connection.execute(text("INSERT INTO model_owners VALUES ('m', 'a'), ('m', 'b')"))


def test_connections_are_bounded(postgres: Cluster) -> None:
    database = open_database(postgres.new_database(), connections=2, wait_seconds=0.2)
    with database.connect(), database.connect(), pytest.raises(NoConnectionError):
        database.connect()
    database.dispose()


def test_a_transaction_of_a_process_that_does_nothing_frees_its_rows(postgres: Cluster) -> None:
    url = postgres.new_database(postgres.tables)
    stopped, database = open_database(url, migrate=False, idle_seconds=0.5), open_database(url, migrate=False)
    store = JobStore(database)
    job = store.create(Plan("quality", {}, [(1, {"x": [1]})])).id
    change = update(JobRow).where(JobRow.id == job)
    with stopped.connect() as connection:
        connection.execute(change.values(step="stopped"))
        begin = time.monotonic()
        with database.begin() as other:
            other.execute(change.values(step="next"))
        assert time.monotonic() - begin < 10
        with pytest.raises(DatabaseUnavailableError):
            connection.commit()
    assert store.get(job).step == "next"
    for each in (stopped, database):
        check_database(each)
        each.dispose()
