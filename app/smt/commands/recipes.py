"""`assay run`: the steps of a recipe."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.errors import InputError
from app.shell.output import Format, print_rows, say
from app.smt.recipes.local_run import run_recipe
from app.smt.recipes.reading import read_recipe

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("run")
def run_steps(
    context: typer.Context,
    recipe: Annotated[Path, typer.Argument(help="YAML with the steps, each a command with its options.")],
    constants: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another value of a constant; repeat for several.")
    ] = None,
    to: Annotated[str | None, typer.Option(help="The last step to run.")] = None,
    force: Annotated[list[str] | None, typer.Option(help="Run this step though nothing has changed; repeat for several.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and why; run nothing.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write in the place of files that are there already and not the recipe's.")
    ] = False,
) -> None:
    """Run the steps of a recipe, those alone whose inputs or options have changed."""
    given: dict[str, str] = {}
    for text in constants or ():
        name, sign, value = text.partition("=")
        if not sign or name in given:
            raise InputError("invalid-request", f"{text} is not NAME=VALUE, once for each name", ("--set",))
        given[name] = value
    commands_of: Any = context.find_root().command
    outcomes = run_recipe(
        read_recipe(recipe, given), commands_of.commands, say, last=to, forced=force or (), dry=dry_run, take_over=replace
    )
    if dry_run:
        rows = [{"step": one.step, "runs": "yes" if one.runs else "no", "why": one.why, "command": one.line} for one in outcomes]
        print_rows(rows, Format.TSV)
