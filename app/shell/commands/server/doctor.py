"""`assay doctor`: whether everything is as a server needs it."""

from dataclasses import asdict
from typing import Annotated

import typer

from app.shell.here import settings_here
from app.shell.output import Format, print_json, print_rows

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def doctor(
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Look at settings, folders, disks, resources, models, database, keys and port. Exit code 1 where there is a problem."""
    from app.server.service import is_loopback
    from app.server.upkeep.doctor import examine

    settings = settings_here()
    findings = list(examine(settings, is_loopback(settings.host)))
    healthy = all(finding.state != "problem" for finding in findings)
    rows = [asdict(finding) for finding in findings]
    if form is Format.JSON:
        print_json({"healthy": healthy, "findings": rows})
    else:
        print_rows(rows, form)
    if not healthy:
        raise typer.Exit(1)
