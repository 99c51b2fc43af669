"""`assay promote` and `assay rollback`: which version of a model a server answers with."""

from typing import Annotated

import typer

from app.shell.output import print_json
from app.shell.parameters import HERE, HeldServer
from app.shell.there import calling

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
Reason = Annotated[str, typer.Option(help="Why, for the record.")]


@commands.command()
def promote(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: HeldServer = HERE) -> None:
    """Let this model answer for its language pair and label."""
    with calling(server) as client:
        print_json(client.promote(model, reason))


@commands.command()
def rollback(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: HeldServer = HERE) -> None:
    """Return to what answered before this model was promoted."""
    with calling(server) as client:
        print_json(client.rollback(model, reason))
