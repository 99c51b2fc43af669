"""`assay server audit` on the database of a server, and what `assay server keys` leaves there."""

import json
import os
import pwd
import subprocess
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from app.server.store import Actor, AuditFilter, AuditLog, open_database
from tests import commands


def assay(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.assay(*arguments, data=data)


def test_commands_leave_who_called_them_and_what_they_changed(tmp_path: Path) -> None:
    for arguments in (("create", "cat", "--scopes", "score,metrics"), ("rotate", "cat"), ("revoke", "cat")):
        assert assay(tmp_path, "server", "keys", *arguments).returncode == 0
    rows = [json.loads(line) for line in assay(tmp_path, "server", "audit", "-f", "jsonl").stdout.splitlines()]
    assert [(row["action"], row["thing"], row["id"], row["number"]) for row in rows] == [
        ("revoked", "key", "cat", 3), ("rotated", "key", "cat", 2), ("created", "key", "cat", 1),
    ]  # fmt: skip
    assert {(row["actor"], row["owner"]) for row in rows} == {("command line", pwd.getpwuid(os.getuid()).pw_name)}
    header, line = assay(tmp_path, "server", "audit", "--action", "created", "--since", "1d", "--format", "tsv").stdout.splitlines()
    assert header.split("\t")[:3] == ["number", "time", "actor"] and "\tcat\t" in line
    assert "cat" in assay(tmp_path, "server", "audit", "--limit", "1").stdout


def test_a_chain_is_verified_against_what_was_printed_before(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'assay.sqlite3'}")
    log = AuditLog(database)
    for number in range(3):
        log.add(Actor("Ana"), "read", "job", str(number))
    first = assay(tmp_path, "server", "audit", "--verify")
    assert first.returncode == 0 and first.stdout.startswith("3:") and "3 rows" in first.stderr
    log.add(Actor("Ana"), "read", "job", "3")
    assert assay(tmp_path, "server", "audit", "--witness", first.stdout.strip()).returncode == 0
    assert assay(tmp_path, "server", "audit", "--witness", "3").returncode == 2
    with database.begin() as connection:
        connection.execute(text("DROP TRIGGER audit_stays"))
        connection.execute(text("UPDATE audit SET actor = 'Bo' WHERE number = 2"))
    broken = assay(tmp_path, "server", "audit", "--verify")
    assert (broken.returncode, broken.stdout) == (1, "") and "row 2" in broken.stderr


def test_old_rows_expire_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(open_database(f"sqlite:///{tmp_path / 'assay.sqlite3'}"))
    now = time.time()
    for days in (10, 5, 0):
        with monkeypatch.context() as patched:
            patched.setattr("app.server.store.audit.time.time", lambda days=days: now - days * 86400)
            log.add(Actor("Ana"), "read", "job", str(days))
    assert assay(tmp_path, "server", "audit", "--expire", "0").returncode == 2
    assert assay(tmp_path, "server", "audit", "--since", "yesterday").returncode == 2
    assert assay(tmp_path, "server", "audit", "--expire", "3").stderr == "2 rows have expired\n"
    rows = log.list(AuditFilter())
    assert [(row.actor, row.action, row.id) for row in rows] == [("command line", "expired", "2"), ("Ana", "read", "0")]
    assert log.verify().fault is None
