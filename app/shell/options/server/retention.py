"""Options of `assay server expire` and `assay server owners`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, Server

__all__ = ["ExpireOptions", "OwnersDeleteOptions"]


@dataclass(frozen=True, kw_only=True)
class ExpireOptions:
    """Options of `assay server expire`."""

    dry_run: Annotated[bool, option("--dry-run", help="Name the expired things and delete nothing.")] = False
    vacuum: Annotated[bool, option("--vacuum", help="Rewrite the database without deleted content.")] = False
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class OwnersDeleteOptions:
    """Options of `assay server owners delete`."""

    name: Annotated[str, argument(help="Owner, as on keys and jobs.")]
    models: Annotated[bool, option("--models", help="Delete the models that they trained too.")] = False
    yes: Annotated[bool, option("--yes", help="Do not ask.")] = False
    server: Server = None
    form: Form = Format.TEXT
