"""Fixtures of databases: every test gets an empty one, on SQLite and on PostgreSQL."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine as Database

from app.store import open_database

__all__ = ["database", "database_url", "new_database", "postgres"]


def postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, without the name of a database."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not on this machine")
    # Not among pytest's own folders, which are for their owner alone: PostgreSQL refuses to run as root.
    folder = Path(tempfile.mkdtemp(prefix="assay-postgres-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        command = ["runuser", "-u", "postgres", "--"]
    data = str(folder / "data")
    subprocess.run([*command, str(programs / "initdb"), "-D", data, "-A", "trust", "-U", "assay"], check=True, capture_output=True)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    control = [*command, str(programs / "pg_ctl"), "-D", data, "-w"]
    subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], check=True, capture_output=True)
    yield f"postgresql://assay@127.0.0.1:{port}/"
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True)
    shutil.rmtree(folder)


def new_database(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of a database that holds nothing yet, of the kind that the fixture's parameter names."""
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'x.sqlite3'}"
    server = request.getfixturevalue("postgres")
    name = f"t{uuid4().hex}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"{server}{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_database(request, tmp_path)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with its tables."""
    opened = open_database(database_url)
    yield opened
    opened.dispose()
