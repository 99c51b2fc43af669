"""`assay keys`: who may ask a server for what, and how much. They work on its database, so they are for whoever runs it."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.running.rates import AS_SET, KeyLimits, Rate, parse_rates
from app.shell.here import command_line, settings_here
from app.shell.output import Format, print_json, print_rows, say
from app.shell.parameters import Form

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
keys = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Make, list, limit, rotate and revoke the keys that callers of a server need; say what was used.",
)
commands.add_typer(keys, name="keys")
SCOPES_HELP: Final = "What for, with commas: score, quality, jobs, train, models, resources, feedback, metrics; admin is for all."
EXPIRES_HELP: Final = "Until when: a date, as 2027-01-31 (UTC), or a number of days, as 90d."
Name = Annotated[str, typer.Argument(help="Name of the key.")]
DAY: Final = 86400.0
MONTH_DAYS: Final = 31
SIZE: Final = re.compile(r"([1-9][0-9]{0,8})(B|kB|MB|GB|TB)")
BYTES: Final = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
# What stands in place of a limit: there is none, or that of the settings.
NONE: Final = "none"
SETTINGS: Final = "settings"
RATE_HELP: Final = (
    "Most that may be asked for with it, as '10000 segments/minute' or '2000000 characters/day' (of sources), also a month; "
    "once for each. Or none, or settings for what the settings say."
)
JOBS_HELP: Final = "Jobs of its owner that may wait or run: a number, none, or settings."
STORED_HELP: Final = "What its owner may keep of jobs and feedback, as 500MB or 2GB; none, or settings."
Rates = Annotated[list[str] | None, typer.Option("--rate", help=RATE_HELP)]
Jobs = Annotated[str | None, typer.Option("--jobs-at-once", help=JOBS_HELP)]
Stored = Annotated[str | None, typer.Option("--stored", help=STORED_HELP)]


class Period(StrEnum):
    """Windows that usage is shown by."""

    DAY = "day"
    MONTH = "month"


def _models_here() -> set[str]:
    """Names of the folders of models."""
    settings = settings_here()
    folders = (settings.models_dir, settings.trained_models_dir)
    return {path.name for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_dir()}


def _store() -> Any:
    from app.server.store import KeyStore, open_database

    return KeyStore(open_database(settings_here().sqlalchemy_url), command_line())


@keys.command()
def create(
    name: Name,
    scopes: Annotated[
        str,
        typer.Option(
            help="What it is for, with commas: score, quality, jobs, train, models, resources, feedback, metrics; admin is for all."
        ),
    ],
    owner: Annotated[str | None, typer.Option(help="Whose jobs, feedback and models it sees; its name otherwise.")] = None,
    pairs: Annotated[str | None, typer.Option(help="Language pairs that it may ask about, with commas; all otherwise.")] = None,
    models: Annotated[str | None, typer.Option(help="Models that it may ask, with commas; all otherwise.")] = None,
    expires: Annotated[str | None, typer.Option(help=EXPIRES_HELP)] = None,
    rate: Rates = None,
    jobs_at_once: Jobs = None,
    stored: Stored = None,
) -> None:
    """Make a key. Its token is printed once, on standard output, and kept nowhere."""
    until = _moment(expires) if expires is not None else None
    limits = _limits(AS_SET, rate, jobs_at_once, stored)
    if until is not None and until <= time.time():
        raise InputError("invalid-request", "this is over already", ("--expires",))
    key, token = _store().create(name, _parts(scopes), owner, _parts(pairs), _parts(models), until, limits)
    absent = sorted(set(key.models or ()) - _models_here())
    if absent:
        say(f"No model is called {', '.join(absent)} yet.")
    say(f"{key.name} is for {', '.join(sorted(key.scopes))}; its token is shown this once:")
    print(token)


@keys.command("list")
def list_keys(form: Form = Format.TEXT) -> None:
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
    if form is Format.JSON:
        print_json({"keys": rows})
    else:
        print_rows(rows, form)


@keys.command()
def rotate(name: Name) -> None:
    """Give a key another token; the one before opens nothing any more, within a second."""
    token = _store().rotate(name)
    say(f"{name} has a new token, shown this once:")
    print(token)


@keys.command()
def revoke(name: Name) -> None:
    """Let a key open nothing any more, within a second; it stays on record."""
    _store().revoke(name)
    say(f"{name} is revoked")


@keys.command("limit")
def limit_key(name: Name, rate: Rates = None, jobs_at_once: Jobs = None, stored: Stored = None) -> None:
    """Hold a key to other limits, within a second; what is not named stays, and rates are all named anew."""
    store = _store()
    if rate is None and jobs_at_once is None and stored is None:
        raise InputError("invalid-request", "name a limit: --rate, --jobs-at-once or --stored", ("limits",))
    key = store.limit(name, _limits(store.named(name).limits, rate, jobs_at_once, stored))
    say(f"{name} is held to: {_described(key.limits)}")


@keys.command()
def usage(
    name: Annotated[str | None, typer.Argument(help="Name of a key; all otherwise.")] = None,
    by: Annotated[Period, typer.Option(help="What a row is.")] = Period.MONTH,
    days: Annotated[int, typer.Option(help="How many days back to look.", min=1, max=3660)] = MONTH_DAYS,
    form: Form = Format.TEXT,
) -> None:
    """What was asked for with each key, by month or day (UTC), and what its owner keeps now."""
    from app.server.store import KeyStore, UsageStore, open_database

    database = open_database(settings_here().sqlalchemy_url)
    owner = None if name is None else KeyStore(database).named(name).owner
    store = UsageStore(database)
    counted = [row for row in store.used(by.value, time.time() - (days - 1) * DAY, owner, keys=True) if name in (None, row.key)]
    stored = {owner: store.stored(owner) for owner in {row.owner for row in counted}}
    rows = [
        {
            "key": row.key,
            "owner": row.owner,
            by.value: _date(row.start)[: len("2027-01-31") if by is Period.DAY else len("2027-01")],
            "segments": row.segments,
            "characters": row.characters,
            "requests": row.requests,
            "jobs": row.jobs,
            "owner_stored_bytes": stored[row.owner],
        }
        for row in counted
    ]
    if form is Format.JSON:
        print_json({"usage": rows})
        return
    if not rows:
        say("Nothing was asked for in this time.")
    print_rows(rows, form, ("key", "owner", by.value, "segments", "characters", "requests", "jobs", "owner_stored_bytes"))


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
    if texts in ([NONE], [SETTINGS]):
        return () if texts == [NONE] else None
    return parse_rates(",".join(texts) or ",", "--rate")


def _number(text: str) -> int | None:
    if text in (NONE, SETTINGS):
        return 0 if text == NONE else None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise InputError("invalid-request", "a number of jobs, none or settings is accepted", ("--jobs-at-once",))
    return int(text)


def _size(text: str) -> int | None:
    if text in (NONE, SETTINGS):
        return 0 if text == NONE else None
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
