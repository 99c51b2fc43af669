"""Audit log: rows that are appended and never changed, each with a hash of itself and of the row before.

An append locks the one row of the head. It adds the row and the new head in the transaction of the recorded action, so many
servers write one chain, without actions that were rolled back. Texts and tokens are never recorded, only names, ids and numbers.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import Select, delete, func, insert, select, update
from sqlalchemy.orm import Session

from app.errors import InputError
from app.server.store.tables import AuditHeadRow, AuditLogRow

__all__ = ["Actor", "AuditEntry", "AuditFilter", "AuditLog", "Detail", "Verdict", "record"]

Detail = Mapping[str, str | int | float | bool | None]
HEAD: Final = 1
# Event that records deleted rows, and the hash of the last of them.
EXPIRED: Final = ("expired", "audit")
DAY: Final = 86400.0
BATCH: Final = 1000
# Characters of a name in a detail, and of a whole one.
LONGEST_NAME: Final = 200
LONGEST_DETAIL: Final = 2000


@dataclass(frozen=True)
class Actor:
    """An actor: the name of a key (or of another actor), its owner, and the id and address of the request."""

    name: str
    owner: str = ""
    request: str = ""
    address: str = ""


@dataclass(frozen=True)
class AuditEntry:
    """One row, the `number`-th; `time` is in seconds since 1970."""

    number: int
    time: float
    actor: str
    owner: str
    request: str
    address: str
    action: str
    thing: str
    id: str
    detail: Detail
    hash: str


@dataclass(frozen=True)
class AuditFilter:
    """Filter of entries: fields with these values, from `since` on and before `until` (seconds since 1970)."""

    since: float | None = None
    until: float | None = None
    actor: str | None = None
    owner: str | None = None
    action: str | None = None
    thing: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Verdict:
    """Verification of the chain: `rows` were checked, up to the row `number` with `hash`; `fault` names the first fault."""

    rows: int
    number: int
    hash: str
    fault: str | None = None


def record(session: Session, by: Actor | None, action: str, thing: str, id: str = "", detail: Detail | None = None) -> None:
    """Append a row in the transaction of a session, as its last statement; nothing where nobody is said to act.

    From here to the end of the transaction nobody else appends, so nothing slow may follow.
    """
    if by is None:
        return
    session.flush()
    lock = update(AuditHeadRow).where(AuditHeadRow.id == HEAD).values(number=AuditHeadRow.number + 1)
    locked_head = lock.returning(AuditHeadRow.number, AuditHeadRow.hash).execution_options(synchronize_session=False)
    number, previous = session.execute(locked_head).one()
    values = {
        "number": number, "time": round(time.time(), 6), "actor": by.name[:100], "owner": by.owner[:100],
        "request": by.request[:64], "address": by.address[:64], "action": action, "thing": thing,
        "thing_id": id[:LONGEST_NAME], "detail": _packed(detail or {}),
    }  # fmt: skip
    digest = _digest(previous, values)
    session.execute(insert(AuditLogRow).values(**values, hash=digest))
    moved_head = update(AuditHeadRow).where(AuditHeadRow.id == HEAD).values(hash=digest)
    session.execute(moved_head.execution_options(synchronize_session=False))


def _packed(detail: Detail) -> str:
    short = {name: value[:LONGEST_NAME] if isinstance(value, str) else value for name, value in detail.items()}
    text = json.dumps(short, sort_keys=True, allow_nan=False, separators=(",", ":"))
    if len(text) > LONGEST_DETAIL:
        raise ValueError(f"a detail has at most {LONGEST_DETAIL} characters")
    return text


FIELDS: Final = ("number", "time", "actor", "owner", "request", "address", "action", "thing", "thing_id", "detail")


def _digest(previous: str, values: Mapping[str, object]) -> str:
    """SHA-256 of the row before and of all fields of this one, as a JSON list: no two rows are written alike."""
    content = json.dumps([previous, *(values[name] for name in FIELDS)], separators=(",", ":"))
    return hashlib.sha256(content.encode("ascii")).hexdigest()


class AuditLog:
    """All reading of the audit, and writing of what has no transaction of its own; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, by: Actor, action: str, thing: str, id: str = "", **detail: str | int | float | bool | None) -> None:
        """Append a row in a transaction of its own; on disk when this returns."""
        with Session(self._database) as session, session.begin():
            record(session, by, action, thing, id, detail)

    def list(self, wanted: AuditFilter, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """The newest entries that are wanted, the newest first; those with smaller numbers than `before`."""
        query = _of(wanted).order_by(AuditLogRow.number.desc()).limit(limit)
        if before is not None:
            query = query.where(AuditLogRow.number < before)
        with Session(self._database) as session:
            return [_entry(row) for row in session.scalars(query)]

    def verify(self, witness: tuple[int, str] | None = None) -> Verdict:
        """Follow the chain from its first row to its head; `witness` is a number and hash that were written down elsewhere."""
        with Session(self._database) as session:
            head = session.get_one(AuditHeadRow, HEAD)
            verdict = _followed(_rows(session, head), head)
            if verdict.fault is not None or witness is None:
                return verdict
            number, digest = witness
            if number < head.first - 1:
                raise InputError("invalid-request", f"rows before {head.first} have expired; name a later one", ("--witness",))
            previous_hash = head.anchor if number == head.first - 1 else session.scalar(_hash_of(number))
            return (
                verdict if previous_hash == digest else replace(verdict, fault=f"row {number} had another hash when it was written")
            )

    def expire(self, days: float, by: Actor) -> int:
        """Delete rows that are older, as far as no newer one is among them, and record that; how many. There is no other way."""
        with Session(self._database) as session, session.begin():
            # Nobody appends meanwhile.
            lock = update(AuditHeadRow).where(AuditHeadRow.id == HEAD).values(number=AuditHeadRow.number)
            session.execute(lock.execution_options(synchronize_session=False))
            head = session.get_one(AuditHeadRow, HEAD)
            first_number = session.scalar(select(func.min(AuditLogRow.number)).where(AuditLogRow.time >= time.time() - days * DAY))
            last = (first_number if first_number is not None else head.number + 1) - 1
            rows = last - head.first + 1
            if rows <= 0:
                return 0
            head.anchor = session.scalars(_hash_of(last)).one()
            head.first = last + 1
            session.flush()
            # The triggers let go what is before the first row that is kept.
            session.execute(delete(AuditLogRow).where(AuditLogRow.number <= last).execution_options(synchronize_session=False))
            record(session, by, *EXPIRED, str(last), {"rows": rows, "hash": head.anchor})
        return rows


def _of(wanted: AuditFilter) -> "Select[AuditLogRow]":
    query = select(AuditLogRow)
    columns = (AuditLogRow.actor, AuditLogRow.owner, AuditLogRow.action, AuditLogRow.thing, AuditLogRow.thing_id)
    values = (wanted.actor, wanted.owner, wanted.action, wanted.thing, wanted.id)
    for column, value in zip(columns, values, strict=True):
        if value is not None:
            query = query.where(column == value)
    if wanted.since is not None:
        query = query.where(AuditLogRow.time >= wanted.since)
    return query if wanted.until is None else query.where(AuditLogRow.time < wanted.until)


def _hash_of(number: int) -> "Select[str]":
    return select(AuditLogRow.hash).where(AuditLogRow.number == number)


def _rows(session: Session, head: AuditHeadRow) -> Iterator[AuditLogRow]:
    """All rows up to the head that was read, a batch in memory at a time."""
    query = select(AuditLogRow).where(AuditLogRow.number <= head.number).order_by(AuditLogRow.number)
    yield from session.scalars(query.execution_options(yield_per=BATCH))


def _followed(rows: Iterator[AuditLogRow], head: AuditHeadRow) -> Verdict:
    count, number, digest = 0, head.first - 1, head.anchor
    expired = (0, "")
    for row in rows:
        number += 1
        if row.number != number:
            return Verdict(count, number - 1, digest, f"row {number} is missing")
        digest = _digest(digest, {name: getattr(row, name) for name in FIELDS})
        if row.hash != digest:
            return Verdict(count, number, row.hash, f"row {number}, or the hash before it, is not what was written")
        count += 1
        if (row.action, row.thing) == EXPIRED:
            expired = (int(row.thing_id), json.loads(row.detail)["hash"])
    if (number, digest) != (head.number, head.hash):
        return Verdict(count, number, digest, f"the last row is {number}, and the head says {head.number}")
    if head.first > 1 and expired != (head.first - 1, head.anchor):
        return Verdict(count, number, digest, f"rows before {head.first} are gone, and no row says that they expired")
    return Verdict(count, number, digest)


def _entry(row: AuditLogRow) -> AuditEntry:
    return AuditEntry(
        row.number, row.time, row.actor, row.owner, row.request, row.address, row.action, row.thing, row.thing_id,
        json.loads(row.detail), row.hash,
    )  # fmt: skip
