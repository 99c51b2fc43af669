"""The program `assay`: its commands, and exit codes of errors."""

import gc
import os
import select
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app import __version__
from app.errors import InputError
from app.shell.declaration.catalogue import EVERYDAY
from app.shell.declaration.tree import Group
from app.shell.output import say

__all__ = ["program", "run"]

# Errors of limits: the request may succeed later.
LIMIT_CODES: Final = frozenset({"quota-exceeded", "too-many-jobs", "storage-quota-exceeded", "queue-full", "service-budget-spent"})
# Exit code of a closed pipe, as a shell reports it for SIGPIPE.
READER_GONE: Final = 128 + signal.SIGPIPE
TERMINATION_STATUS: Final = 128 + signal.SIGTERM
# New objects before a search for garbage. Imports create many objects and no garbage; default searches take an eighth of a start.
GARBAGE_THRESHOLD: Final = 100_000


class _Program(Group):
    """The program: everyday commands and groups of commands."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a truncated gzip file is an InputError, since Typer reads its EOFError as the end of typed input.

        Compiled code turns Ctrl-C and SIGTERM into a SystemError; the original exception is raised instead.
        """
        try:
            return super().invoke(ctx)
        except EOFError:
            raise InputError("invalid-encoding", "a gzip file is truncated; copy or download it again") from None
        except SystemError as error:
            stop = _stop_of(error)
            if stop is None:
                raise
            raise stop from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write everyday commands, then groups."""
        lines = {name: entry.summary for name, entry in self.commands.entries.items()}
        for title, names in (("Everyday", EVERYDAY), ("Groups", [name for name in lines if name not in EVERYDAY])):
            with formatter.section(title):
                formatter.write_dl([(name, lines[name]) for name in names])


program = typer.Typer(
    name="assay", cls=_Program, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Says how good a machine translation is.",
)  # fmt: skip


def _stop_of(error: SystemError) -> KeyboardInterrupt | SystemExit | None:
    """KeyboardInterrupt or SystemExit in the causes of an error, or None."""
    reason: BaseException | None = error
    while isinstance(reason, SystemError):
        reason = reason.__cause__ or reason.__context__
    return reason if isinstance(reason, KeyboardInterrupt | SystemExit) else None


def _version(enabled: bool) -> None:
    if enabled:
        print(f"assay {__version__}")
        raise typer.Exit


@program.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of all commands."""


def run() -> None:
    """Run a command and exit with its status, or with 141 if the reader of its output closes the pipe."""
    status = 0
    _open_closed()
    if sys.argv[1:2] != ["serve"]:
        # As for Ctrl-C, exit handlers remove unfinished files. A server drains instead.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATION_STATUS))
        gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        status = _status()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        # A failed gate keeps its status.
        status = status or READER_GONE
        _write_nowhere()
    # The last search for garbage, through all modules, would take .05 s.
    gc.freeze()
    sys.exit(status)


def _open_closed() -> None:
    """Open os.devnull for each closed standard stream (``>&-``), since the next opened file would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (as long as the program runs)


def _status() -> int:
    """Run the program and return its status. An InputError or OSError is one line on stderr and status 2, or 3 at a limit."""
    try:
        program()
    except SystemExit as end:
        # Typer exits with 1 for every broken pipe, which is the code of a failed gate.
        if isinstance(end.__context__, BrokenPipeError):
            return _broken(end.__context__)
        if isinstance(end.code, int):
            return end.code
        raise
    except InputError as error:
        say(f"assay: {_text_of(error)}")
        return 3 if error.code in LIMIT_CODES else 2
    except BrokenPipeError as error:
        return _broken(error)
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return 130
    return 0


def _text_of(error: InputError) -> str:
    """Text of an error; its segment has the number of the answers, from 1 on."""
    match error.where:
        case ("segments" | "held_out", int(number), *rest):
            place = ("" if error.where[0] == "segments" else "held-out ") + f"segment {number + 1}"
            return ": ".join((", ".join((place, *map(str, rest))), error.detail))
    return str(error)


def _broken(error: BrokenPipeError) -> int:
    """Status of a broken pipe. Raise the error again if it concerns stdout or stderr."""
    if _reader_is_gone():
        raise error
    return _failed(error)


def _reader_is_gone() -> bool:
    """Return True if stdout or stderr has no reader any more."""
    poll = select.poll()
    for descriptor in (1, 2):
        poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _write_nowhere() -> None:
    """Redirect stdout and stderr to os.devnull, since Python flushes them again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def _failed(error: OSError) -> int:
    say(f"assay: {_place_of(error)}{error.strerror or error}")
    return 2


def _place_of(error: OSError) -> str:
    """File name of an error with a colon, or an empty text."""
    return "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
