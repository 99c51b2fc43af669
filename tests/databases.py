"""Fixtures of databases: every test gets an empty one, on SQLite and on PostgreSQL."""

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine as Database

from app.server.store import open_database

__all__ = [
    "Cluster",
    "damage",
    "database",
    "database_url",
    "empty_database_url",
    "new_database",
    "postgres",
    "running_cluster",
    "sqlite_tables",
    "strictest_database",
]


def postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@dataclass
class Cluster:
    """A PostgreSQL server of our own, which can be stopped and started again."""

    folder: Path
    port: int
    programs: Path

    @classmethod
    def made(cls) -> "Cluster":
        programs = postgres_programs()
        if programs is None:
            pytest.skip("PostgreSQL is not on this machine")
        # Not among pytest's own folders, which are for their owner alone: PostgreSQL refuses to run as root.
        folder = Path(tempfile.mkdtemp(prefix="assay-postgres-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        cluster = cls(folder, port, programs)
        cluster.run("initdb", "--no-sync", "-A", "trust", "-U", "assay")
        return cluster

    def run(self, program: str, *arguments: str) -> None:
        command = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        data = str(self.folder / "data")
        subprocess.run([*command, str(self.programs / program), "-D", data, *arguments], check=True, capture_output=True)

    def start(self) -> None:
        # What survives the processes is enough: no test ends the machine.
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off"
        self.run("pg_ctl", "-w", "-o", options, "-l", str(self.folder / "log"), "start")

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-w", "-m", mode, "stop")

    @property
    def address(self) -> str:
        """Without the name of a database."""
        return f"postgresql://assay@127.0.0.1:{self.port}/"

    def new_database(self, template: str = "template1") -> str:
        """The address of a new database, a copy of a template."""
        name = f"t{uuid4().hex}"
        with psycopg.connect(f"{self.address}postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return f"{self.address}{name}"

    @cached_property
    def tables(self) -> str:
        """The name of a database with all tables, to copy."""
        address = self.new_database()
        open_database(address).dispose()
        return address.removeprefix(self.address)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """One that runs, and is gone afterwards."""
    cluster = Cluster.made()
    cluster.start()
    try:
        yield cluster
    finally:
        with suppress(subprocess.CalledProcessError):
            cluster.stop()
        shutil.rmtree(cluster.folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """The PostgreSQL server that tests share."""
    with running_cluster() as cluster:
        yield cluster


def new_database(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of a database that holds nothing yet, of the kind that the fixture's parameter names."""
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'x.sqlite3'}"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database()


def strictest_database(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of an empty database: on PostgreSQL, which refuses more, or on SQLite where there is none."""
    if postgres_programs() is None:
        return f"sqlite:///{folder / 'x.sqlite3'}"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database()


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without tables."""
    return new_database(request, tmp_path)


@cache
def sqlite_tables() -> bytes:
    """The file of an SQLite database with all tables, to copy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite3"
        open_database(f"sqlite:///{path}").dispose()
        return path.read_bytes()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a copied database with its tables, which take long to create."""
    if request.param == "sqlite":
        (tmp_path / "x.sqlite3").write_bytes(sqlite_tables())
        return new_database(request, tmp_path)
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database(cluster.tables)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with its tables."""
    opened = open_database(database_url)
    yield opened
    opened.dispose()


def damage(path: Path, table: str) -> None:
    """Overwrite the first pages of a table and its indexes, as a failing disk would."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = database.execute("PRAGMA page_size").fetchone()[0]
        pages = [row[0] for row in database.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (table,))]
    with path.open("r+b") as file:
        for page in filter(None, pages):
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)
