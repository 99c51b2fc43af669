"""`assay corpus run`: the steps of a recipe."""

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.output import print_rows, say
from app.smt.commands.options.recipes import RunOptions
from app.smt.recipes.local_run import run_recipe
from app.smt.recipes.reading import read_recipe
from app.smt.recipes.step_commands import StepCommands

__all__ = ["run_steps"]


def run_steps(options: RunOptions) -> None:
    """Run the steps of a recipe, those alone whose inputs or options have changed."""
    constants: dict[str, str] = {}
    for text in options.constants or ():
        name, sign, value = text.partition("=")
        if not sign or name in constants:
            raise InputError("invalid-request", f"{text} is not NAME=VALUE, once for each name", ("--set",))
        constants[name] = value
    outcomes = run_recipe(
        read_recipe(options.recipe, constants),
        StepCommands(),
        say,
        last=options.to,
        force=options.force or (),
        dry=options.dry_run,
        take_over=options.replace,
    )
    if options.dry_run:
        rows = [{"step": row.step, "runs": "yes" if row.runs else "no", "why": row.reason, "command": row.line} for row in outcomes]
        print_rows(rows, Format.TSV)
