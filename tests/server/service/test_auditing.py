"""What is recorded of callers is bounded: readings once in a while, refusals in few rows however many they are."""

import time
from pathlib import Path

import pytest

from app.errors import InputError
from app.server.service import Caller
from app.server.service.auditing import MOST_SINGLE, Auditing, Refusals
from app.server.store import ADMIN, AuditFilter, AuditLog, open_database

BOSS = Caller("boss", "boss", frozenset({ADMIN}))


def test_refusals_are_counted_and_written_in_few_rows() -> None:
    written: list[tuple[str, str, int]] = []
    refusals = Refusals(lambda what, address, count: written.append((what, address, count)), 3600)
    for _ in range(1000):
        refusals.note("key", "192.0.2.1")
    refusals.note("sign-in", "192.0.2.1")
    assert written == [("key", "192.0.2.1", 1), ("sign-in", "192.0.2.1", 1)]
    for number in range(5000):
        refusals.note("key", f"198.51.100.{number}")
    assert len(written) == MOST_SINGLE
    refusals.close()
    counted = written[MOST_SINGLE:]
    assert counted[0] == ("key", "192.0.2.1", 999)
    # All that were seen are there: those beyond the first addresses without their names.
    assert counted[1:] == [("key", "", 5000 - (MOST_SINGLE - 2))]
    refusals.close()
    assert len(written) == MOST_SINGLE + 2
    refusals.note("key", "192.0.2.1")
    assert written[-1] == ("key", "192.0.2.1", 1)
    refusals.close()


def test_a_window_ends_by_itself() -> None:
    written: list[tuple[str, str, int]] = []
    refusals = Refusals(lambda what, address, count: written.append((what, address, count)), 0.05)
    deadline = time.monotonic() + 60
    while not any(count > 1 for _, _, count in written) and time.monotonic() < deadline:
        refusals.note("key", "a")
        refusals.note("key", "a")
        refusals.note("key", "a")
        time.sleep(0.01)
    assert any(count > 1 for _, _, count in written)
    refusals.close()


def test_a_reading_is_recorded_once_for_who_reads_and_what(tmp_path: Path) -> None:
    auditing = Auditing()
    with pytest.raises(InputError, match="being opened"):
        auditing.record(BOSS, "read", "job", "j")
    log = AuditLog(open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}"))
    auditing.open(log)
    for _ in range(3):
        auditing.read(BOSS, "job", "j", "Ana")
        auditing.read(BOSS, "result", "j", "Ana")
        auditing.read(BOSS, "job", "mine", "boss")
        auditing.read(Caller("", "", frozenset({ADMIN})), "job", "k", "Ana")
    rows = [(row.actor, row.action, row.thing, row.id, dict(row.detail)) for row in log.list(AuditFilter())]
    assert rows == [("boss", "read", "result", "j", {"owner": "Ana"}), ("boss", "read", "job", "j", {"owner": "Ana"})]


def test_a_key_is_refused_also_where_that_cannot_be_recorded(caplog: pytest.LogCaptureFixture) -> None:
    auditing = Auditing()
    auditing.refused("key")
    auditing.refused("key")
    auditing.stop()
    assert len(caplog.records) == 2
