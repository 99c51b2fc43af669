"""`assay expire` and `assay owners`: deleting what is kept no longer, and all that belongs to a person."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import Format, print_json, print_rows, say
from app.shell.parameters import Form, Server
from app.shell.there import calling

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
owners = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Delete all that belongs to a person.")
commands.add_typer(owners, name="owners")


def _database() -> Any:
    from app.server.store import open_database

    settings = settings_here()
    return open_database(settings.sqlalchemy_url, secure_delete=settings.secure_delete)


@commands.command()
def expire(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted, and delete nothing.")] = False,
    vacuum: Annotated[bool, typer.Option("--vacuum", help="Rewrite the database, so that nothing deleted is left in it.")] = False,
    form: Form = Format.TEXT,
) -> None:
    """Delete what has expired by the settings ASSAY_KEEP_..._DAYS, as a server does every hour."""
    from app.server.upkeep.retention import Retention
    from app.server.upkeep.slices import rewrite

    if dry_run and vacuum:
        raise InputError("invalid-request", "a dry run changes nothing", ("--vacuum",))
    database = _database()
    retention = Retention(database, settings_here())
    if not retention.days:
        say("everything is kept: no setting says for how many days")
    expired = retention.due() if dry_run else retention.expire()
    if vacuum:
        rewrite(database)
    rows = [{"what": name, "expired": count} for name, count in asdict(expired).items()]
    if form is Format.JSON:
        print_json({"deleted": not dry_run, **asdict(expired)})
    else:
        print_rows(rows, form)


@owners.command("delete")
def delete_owner(
    name: Annotated[str, typer.Argument(help="The owner, as keys and jobs name them.")],
    models: Annotated[bool, typer.Option("--models", help="Delete the models that they trained, too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Delete the keys, jobs, results, files and feedback of a person, and name what remains."""
    if not yes and not typer.confirm(f"Delete all that belongs to {name}?", err=True):
        raise InputError("invalid-request", "nothing was deleted; --yes deletes without asking")
    if server is not None:
        with calling(server) as client:
            answer: Any = client.forget_owner(name, models)
    else:
        from app.server.upkeep.forgetting import Forgetting

        answer = Forgetting(_database(), settings_here()).forget(name, models)
    if form is Format.JSON:
        print_json(answer)
        return
    gone = {**answer["deleted"], "models": len(answer["deleted"]["models"])}
    print_rows([{"what": what, "deleted": count} for what, count in gone.items()], form)
    for left in answer["remains"]:
        names = f" ({', '.join(left['names'])})" if left["names"] else ""
        say(f"remains: {left['what']}{names}: {left['why']}")
