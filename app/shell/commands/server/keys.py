"""`assay server keys`: who may ask a server for what, and how much. They work on its database, so they are for whoever runs it."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from app.errors import InputError
from app.running.rates import AS_SET, KeyLimits, Rate, parse_rates
from app.shell.declaration.forms import Format
from app.shell.here import command_line, data_settings, settings_here
from app.shell.options.server.keys import (
    DAY,
    KeysCreateOptions,
    KeysLimitOptions,
    KeysListOptions,
    KeysRevokeOptions,
    KeysRotateOptions,
    KeysUsageOptions,
    Period,
)
from app.shell.output import print_json, print_rows, say

__all__ = ["create", "limit_key", "list_keys", "revoke", "rotate", "usage"]

SCOPES_HELP: Final = "What for, with commas: score, quality, jobs, train, models, resources, feedback, metrics; admin is for all."
EXPIRES_HELP: Final = "Until when: a date, as 2027-01-31 (UTC), or a number of days, as 90d."
MONTH_DAYS: Final = 31
SIZE: Final = re.compile(r"([1-9][0-9]{0,8})(B|kB|MB|GB|TB)")
BYTES: Final = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
# Words in place of a limit: no limit, or the limit of the settings.
NO_LIMIT: Final = "none"
SETTINGS: Final = "settings"
RATE_HELP: Final = (
    "Most that may be asked for with it, as '10000 segments/minute' or '2000000 characters/day' (of sources), also a month; "
    "once for each. Or none, or settings for what the settings say."
)
JOBS_HELP: Final = "Jobs of its owner that may wait or run: a number, none, or settings."
STORED_HELP: Final = "What its owner may keep of jobs and feedback, as 500MB or 2GB; none, or settings."


def _models_here() -> set[str]:
    """Names of the folders of models."""
    settings = settings_here()
    folders = (settings.models_dir, settings.trained_models_dir)
    return {path.name for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_dir()}


def _store() -> Any:
    from app.server.store import KeyStore, open_database

    return KeyStore(open_database(data_settings().sqlalchemy_url), command_line())


def create(options: KeysCreateOptions) -> None:
    """Make a key. Its token is printed once, on standard output, and kept nowhere."""
    until = _moment(options.expires) if options.expires is not None else None
    limits = _limits(AS_SET, options.rate, options.jobs_at_once, options.stored)
    if until is not None and until <= time.time():
        raise InputError("invalid-request", "this is over already", ("--expires",))
    key, token = _store().create(
        options.name, _parts(options.scopes), options.owner, _parts(options.pairs), _parts(options.models), until, limits
    )
    absent = sorted(set(key.models or ()) - _models_here())
    if absent:
        say(f"No model is called {', '.join(absent)} yet.")
    say(f"{key.name} is for {', '.join(sorted(key.scopes))}; its token is shown this once:")
    print(token)


def list_keys(options: KeysListOptions) -> None:
    """List the keys, without their tokens."""
    now = time.time()
    rows = [
        {
            "name": key.name,
            "owner": key.owner,
            "id": key.id,
            "scopes": " ".join(sorted(key.scopes)),
            "pairs": " ".join(sorted(key.pairs or ())) or "all",
            "models": " ".join(sorted(key.models or ())) or "all",
            "state": "valid" if key.valid(now) else "revoked" if key.revoked is not None else "expired",
            "created": _date(key.created),
            "expires": _date(key.expires),
            "used": _date(key.used),
            "limits": _described(key.limits),
        }
        for key in _store().list()
    ]
    if options.form is Format.JSON:
        print_json({"keys": rows})
    else:
        print_rows(rows, options.form)


def rotate(options: KeysRotateOptions) -> None:
    """Give a key another token; the earlier token stops working within a second."""
    token = _store().rotate(options.name)
    say(f"{options.name} has a new token, shown this once:")
    print(token)


def revoke(options: KeysRevokeOptions) -> None:
    """Revoke a key within a second; it stays on record."""
    _store().revoke(options.name)
    say(f"{options.name} is revoked")


def limit_key(options: KeysLimitOptions) -> None:
    """Change limits of a key within a second. New rates replace all earlier rates; limits without an option stay."""
    store = _store()
    if options.rate is None and options.jobs_at_once is None and options.stored is None:
        raise InputError("invalid-request", "name a limit: --rate, --jobs-at-once or --stored", ("limits",))
    key = store.limit(options.name, _limits(store.named(options.name).limits, options.rate, options.jobs_at_once, options.stored))
    say(f"{options.name} is held to: {_described(key.limits)}")


def usage(options: KeysUsageOptions) -> None:
    """Show requests of each key by month or day (UTC), and the bytes that its owner stores now."""
    from app.server.store import KeyStore, UsageStore, open_database

    database = open_database(data_settings().sqlalchemy_url)
    owner = None if options.name is None else KeyStore(database).named(options.name).owner
    store = UsageStore(database)
    usage_rows = [
        row
        for row in store.used(options.by.value, time.time() - (options.days - 1) * DAY, owner, keys=True)
        if options.name in (None, row.key)
    ]
    stored = {owner: store.stored(owner) for owner in {row.owner for row in usage_rows}}
    rows = [
        {
            "key": row.key,
            "owner": row.owner,
            options.by.value: _date(row.start)[: len("2027-01-31") if options.by is Period.DAY else len("2027-01")],
            "segments": row.segments,
            "characters": row.characters,
            "requests": row.requests,
            "jobs": row.jobs,
            "owner_stored_bytes": stored[row.owner],
        }
        for row in usage_rows
    ]
    if options.form is Format.JSON:
        print_json({"usage": rows})
        return
    if not rows:
        say("Nothing was asked for in this time.")
    print_rows(
        rows, options.form, ("key", "owner", options.by.value, "segments", "characters", "requests", "jobs", "owner_stored_bytes")
    )


def _limits(before: KeyLimits, rate: list[str] | None, jobs_at_once: str | None, stored: str | None) -> KeyLimits:
    """Limits with what options change of them."""
    limits = before
    if rate is not None:
        limits = replace(limits, rates=_rates(rate))
    if jobs_at_once is not None:
        limits = replace(limits, jobs_at_once=_number(jobs_at_once))
    if stored is not None:
        limits = replace(limits, stored_bytes=_size(stored))
    return limits


def _rates(texts: list[str]) -> tuple[Rate, ...] | None:
    if texts in ([NO_LIMIT], [SETTINGS]):
        return () if texts == [NO_LIMIT] else None
    return parse_rates(",".join(texts) or ",", "--rate")


def _number(text: str) -> int | None:
    if text in (NO_LIMIT, SETTINGS):
        return 0 if text == NO_LIMIT else None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise InputError("invalid-request", "a number of jobs, none or settings is accepted", ("--jobs-at-once",))
    return int(text)


def _size(text: str) -> int | None:
    if text in (NO_LIMIT, SETTINGS):
        return 0 if text == NO_LIMIT else None
    match = SIZE.fullmatch(text)
    if match is None:
        raise InputError("invalid-request", "a size, as 500MB (B, kB, MB, GB, TB), none or settings is accepted", ("--stored",))
    return int(match[1]) * BYTES[match[2]]


def _described(limits: KeyLimits) -> str:
    """Limits in a cell; what the settings say is left out."""
    parts = [] if limits.rates is None else [", ".join(map(str, limits.rates)) or "any rate"]
    if limits.jobs_at_once is not None:
        parts.append(f"{limits.jobs_at_once or 'any'} jobs at once")
    if limits.stored_bytes is not None:
        parts.append(f"{limits.stored_bytes or 'any'} bytes stored")
    return "; ".join(parts) or SETTINGS


def _parts(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _date(moment: float | None) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds") if moment is not None else ""


def _moment(text: str) -> float:
    """Seconds since 1970 of a date, or of the end of so many days."""
    days = text.removesuffix("d")
    if text.endswith("d") and days.isascii() and days.isdigit() and len(days) < 6:
        return time.time() + int(days) * DAY
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("invalid-request", "a date, as 2027-01-31, or days, as 90d, is accepted", ("--expires",)) from None
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
