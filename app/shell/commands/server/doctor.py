"""`assay server doctor`: whether everything is as a server needs it."""

from dataclasses import asdict

import typer

from app.shell.declaration.forms import Format
from app.shell.here import settings_here
from app.shell.options.server.doctor import DoctorOptions
from app.shell.output import print_json, print_rows

__all__ = ["doctor"]


def doctor(options: DoctorOptions) -> None:
    """Look at settings, folders, disks, resources, models, database, keys and port. Exit code 1 where there is a problem."""
    from app.server.service import is_loopback
    from app.server.upkeep.doctor import examine

    settings = settings_here()
    findings = list(examine(settings, is_loopback(settings.host)))
    healthy = all(finding.state != "problem" for finding in findings)
    rows = [asdict(finding) for finding in findings]
    if options.form is Format.JSON:
        print_json({"healthy": healthy, "findings": rows})
    else:
        print_rows(rows, options.form)
    if not healthy:
        raise typer.Exit(1)
