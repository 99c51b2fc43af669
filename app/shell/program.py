"""The command line as a whole, and how errors leave it."""

import sys
from typing import Annotated

import typer

from app import __version__
from app.errors import InputError
from app.shell import analysis, building, documents, features, feedback, jobs, quality, scoring, serving, training
from app.shell.output import say

__all__ = ["program", "run"]

program = typer.Typer(
    name="assay", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Says how good a machine translation is.",
)  # fmt: skip


def _version(wanted: bool) -> None:
    if wanted:
        print(f"assay {__version__}")
        raise typer.Exit


@program.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of all commands."""


for group in (serving, quality, documents, training, feedback, features, scoring, analysis, building):
    group.register(program)
program.add_typer(jobs.commands, name="jobs")


def run() -> None:
    """Run; an InputError becomes one line on stderr and exit code 2."""
    try:
        program()
    except InputError as error:
        say(f"assay: {error}")
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
