"""`assay keys`: who may ask a server for what. They work on its database, so they are for whoever runs it."""

import time
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import Format, print_json, print_rows, say
from app.shell.parameters import Form

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
keys = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Make, list, rotate and revoke the keys that callers of a server need."
)
commands.add_typer(keys, name="keys")
SCOPES_HELP: Final = "What for, with commas: score, quality, jobs, train, models, resources, feedback; admin is for all."
EXPIRES_HELP: Final = "Until when: a date, as 2027-01-31 (UTC), or a number of days, as 90d."
Name = Annotated[str, typer.Argument(help="Name of the key.")]
DAY: Final = 86400.0


def _store() -> Any:
    from app.store import KeyStore, open_database

    return KeyStore(open_database(settings_here().sqlalchemy_url))


@keys.command()
def create(
    name: Name,
    scopes: Annotated[
        str,
        typer.Option(
            help="What it is for, with commas: score, quality, jobs, train, models, resources, feedback; admin is for all."
        ),
    ],
    owner: Annotated[str | None, typer.Option(help="Whose jobs, feedback and models it sees; its name otherwise.")] = None,
    pairs: Annotated[str | None, typer.Option(help="Language pairs that it may ask about, with commas; all otherwise.")] = None,
    models: Annotated[str | None, typer.Option(help="Models that it may ask, with commas; all otherwise.")] = None,
    expires: Annotated[str | None, typer.Option(help=EXPIRES_HELP)] = None,
) -> None:
    """Make a key. Its token is printed once, on standard output, and kept nowhere."""
    until = _moment(expires) if expires is not None else None
    key, token = _store().create(name, _parts(scopes), owner, _parts(pairs), _parts(models), until)
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
