"""Backups every so often: PostgreSQL's by the real pg_dump, what is kept, and what is said where one fails."""

import os
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from app.server.store import KeyStore, open_database
from app.settings import ROOT
from tests.databases import Cluster, postgres_programs

BACKUP = ROOT / "deploy" / "backup"
DAY = 86400


def backup(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    surroundings = {"PATH": os.environ["PATH"], "BACKUP_FOLDER": str(folder), "BACKUP_SECONDS": "0", **environment}
    return subprocess.run([BACKUP, *arguments], env=surroundings, capture_output=True, text=True, timeout=120, check=False)


def aged(path: Path, days: float) -> Path:
    path.write_bytes(b"x")
    os.utime(path, (time.time() - days * DAY,) * 2)
    return path


def test_a_database_is_saved_and_can_be_had_again(postgres: Cluster, tmp_path: Path) -> None:
    programs = postgres_programs()
    assert programs is not None
    with psycopg.connect(f"{postgres.address}postgres", autocommit=True) as connection:
        for name in ("saved", "again"):
            connection.execute(f"CREATE DATABASE {name}".encode())
    _, token = KeyStore(open_database(f"{postgres.address}saved")).create("ana", ["quality"])
    word, folder = tmp_path / "word", tmp_path / "backups"
    word.write_text("not asked for here\n")
    folder.mkdir()
    old, young = aged(folder / "database-20200101T000000Z.dump", 15.5), aged(folder / "database-20200102T000000Z.dump", 13)
    other = aged(folder / "state-20200101T000000Z.assay", 40)
    port = str(postgres.port)
    where = {"PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "assay", "PGDATABASE": "saved", "PASSWORD_FILE": str(word)}
    done = backup(folder, "database", **where)
    assert done.returncode == 0, done.stderr
    assert not old.exists() and young.exists() and other.exists()
    dump = max(folder.glob("database-*.dump"))
    assert dump.stat().st_mode & 0o777 == 0o600 and not list(folder.glob(".*"))
    assert backup(folder, "database", "check").returncode == 0
    restored = subprocess.run(
        [programs / "pg_restore", "--exit-on-error", "--no-owner", "-h", "127.0.0.1", "-p", port, "-U", "assay", "-d", "again", dump],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert restored.returncode == 0, restored.stderr
    key = KeyStore(open_database(f"{postgres.address}again")).find(token)
    assert key is not None and key.name == "ana"


@pytest.mark.parametrize("what", ["database", "state"])
def test_a_backup_that_fails_removes_nothing_and_says_so(what: str, tmp_path: Path) -> None:
    programs, folder = tmp_path / "programs", tmp_path / "backups"
    programs.mkdir(), folder.mkdir()
    for name in ("pg_dump", "assay"):
        (programs / name).write_text("#!/bin/sh\necho cannot >&2\nexit 3\n")
        (programs / name).chmod(0o755)
    suffix = {"database": "dump", "state": "assay"}[what]
    old = aged(folder / f"{what}-20200101T000000Z.{suffix}", 40)
    done = backup(folder, what, PATH=f"{programs}:{os.environ['PATH']}", PASSWORD_FILE=os.devnull)
    assert done.returncode == 1 and "NOT saved" in done.stderr and "cannot" in done.stderr
    assert list(folder.iterdir()) == [old]
    assert backup(folder, what, "check").returncode == 1


def test_state_is_saved_by_the_command_for_it(tmp_path: Path) -> None:
    programs, folder = tmp_path / "programs", tmp_path / "backups"
    programs.mkdir(), folder.mkdir()
    # Nothing but the three words that the script gives it.
    (programs / "assay").write_text('#!/bin/sh\nset -u\n[ "$1 $2" = "server backup" ] && [ $# = 3 ] && echo state > "$3"\n')
    (programs / "assay").chmod(0o755)
    assert backup(folder, "state", PATH=f"{programs}:{os.environ['PATH']}").returncode == 0
    assert [path.read_text() for path in folder.glob("state-*.assay")] == ["state\n"]


def test_what_is_to_be_saved_is_one_of_two(tmp_path: Path) -> None:
    assert backup(tmp_path, "everything").returncode == 2
