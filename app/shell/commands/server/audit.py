"""`assay server audit`: who did what. It works on the server's database, so it is for whoever runs it."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import typer

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.here import command_line, data_settings
from app.shell.output import print_rows, say

if TYPE_CHECKING:
    from app.server.store import AuditEntry, AuditFilter, AuditLog

from app.shell.options.server.audit import AuditOptions, RowForm

__all__ = ["audit"]

DAY: Final = 86400.0
BATCH: Final = 1000
WITNESS: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")


def audit(options: AuditOptions) -> None:
    """Show who did what on a server, see that nothing in it was changed, or let old rows expire."""
    from app.server.store import AuditFilter, AuditLog, open_database

    log = AuditLog(open_database(data_settings().sqlalchemy_url))
    if options.expire is not None:
        say(f"{log.expire(options.expire, command_line())} rows have expired")
    elif options.verify or options.witness is not None:
        _verify(log, options.witness)
    else:
        query = AuditFilter(_moment(options.since), None, options.actor, options.owner, options.action, options.thing, options.id)
        _print(_entries(log, query, options.limit), options.form)


def _entries(log: "AuditLog", query: "AuditFilter", limit: int) -> "Iterator[AuditEntry]":
    """The newest first, a batch in memory at a time."""

    def batches() -> "Iterator[AuditEntry]":
        before: int | None = None
        while entries := log.list(query, BATCH, before):
            yield from entries
            before = entries[-1].number

    return islice(batches(), limit or None)


def _print(entries: "Iterator[AuditEntry]", form: RowForm) -> None:
    if form == "jsonl":
        for entry in entries:
            print(json.dumps({**asdict(entry), "time": _time(entry.time)}))
        return
    rows = [_row(entry) for entry in entries]
    print_rows(rows, Format.TSV if form == "tsv" else Format.TEXT)


def _row(entry: "AuditEntry") -> dict[str, Any]:
    row = {**asdict(entry), "time": _time(entry.time), "detail": json.dumps(entry.detail)}
    del row["hash"]
    return row


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _verify(log: "AuditLog", witness: str | None) -> None:
    match = WITNESS.fullmatch(witness) if witness is not None else None
    if witness is not None and match is None:
        raise InputError("invalid-request", "NUMBER:HASH is accepted, as --verify prints it", ("--witness",))
    verdict = log.verify((int(match[1]), match[2]) if match is not None else None)
    if verdict.fault is not None:
        say(f"{verdict.rows} rows are as they were written, and then: {verdict.fault}")
        raise typer.Exit(1)
    say(f"{verdict.rows} rows are as they were written; keep this elsewhere, as a witness of the last one:")
    print(f"{verdict.number}:{verdict.hash}")


def _moment(text: str | None) -> float | None:
    """Seconds since 1970 of a date, or of so many days ago."""
    if text is None:
        return None
    days = text.removesuffix("d")
    if text.endswith("d") and days.isascii() and days.isdigit() and len(days) < 6:
        return time.time() - int(days) * DAY
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        raise InputError("invalid-request", "a date, as 2027-01-31, or days ago, as 7d, is accepted", ("--since",)) from None
