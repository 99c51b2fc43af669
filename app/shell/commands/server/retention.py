"""`assay server expire` and `assay server owners`: deleting what is kept no longer, and all that belongs to a person."""

from dataclasses import asdict
from typing import Any

import typer

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.here import data_settings, settings_here
from app.shell.options.server.retention import ExpireOptions, OwnersDeleteOptions
from app.shell.output import print_json, print_rows, say
from app.shell.there import calling

__all__ = ["delete_owner", "expire"]


def _database() -> Any:
    from app.server.store import open_database

    settings = data_settings()
    return open_database(settings.sqlalchemy_url, secure_delete=settings.secure_delete)


def expire(options: ExpireOptions) -> None:
    """Delete what has expired by the settings ASSAY_KEEP_..._DAYS, as a server does every hour."""
    from app.server.upkeep.retention import Retention
    from app.server.upkeep.slices import rewrite

    if options.dry_run and options.vacuum:
        raise InputError("invalid-request", "a dry run changes nothing", ("--vacuum",))
    database = _database()
    retention = Retention(database, settings_here())
    if not retention.days:
        say("everything is kept: no setting says for how many days")
    expired = retention.due() if options.dry_run else retention.expire()
    if options.vacuum:
        rewrite(database)
    rows = [{"what": name, "expired": count} for name, count in asdict(expired).items()]
    if options.form is Format.JSON:
        print_json({"deleted": not options.dry_run, **asdict(expired)})
    else:
        print_rows(rows, options.form)


def delete_owner(options: OwnersDeleteOptions) -> None:
    """Delete the keys, jobs, results, files and feedback of a person, and name what remains."""
    if not options.yes and not typer.confirm(f"Delete all that belongs to {options.name}?", err=True):
        raise InputError("invalid-request", "nothing was deleted; --yes deletes without asking")
    if options.server is not None:
        with calling(options.server) as client:
            answer: Any = client.forget_owner(options.name, options.models)
    else:
        from app.server.upkeep.forgetting import Forgetting

        answer = Forgetting(_database(), settings_here()).forget(options.name, options.models)
    if options.form is Format.JSON:
        print_json(answer)
        return
    counts = {**answer["deleted"], "models": len(answer["deleted"]["models"])}
    print_rows([{"what": kind, "deleted": count} for kind, count in counts.items()], options.form)
    for remainder in answer["remains"]:
        names = f" ({', '.join(remainder['names'])})" if remainder["names"] else ""
        say(f"remains: {remainder['what']}{names}: {remainder['why']}")
