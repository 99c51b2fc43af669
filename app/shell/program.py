"""The command line as a whole: commands that are imported when they are called, and how errors leave it."""

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

# Nothing is wrong with what was asked: a server will do it later, or once there is room.
LIMIT_CODES: Final = frozenset({"quota-exceeded", "too-many-jobs", "storage-quota-exceeded", "queue-full"})
# As shells have it of commands that a signal ended, which is how others end that print to nobody.
READER_GONE: Final = 128 + signal.SIGPIPE
TERMINATION_STATUS: Final = 128 + signal.SIGTERM
# New objects before a search for garbage. Imports make many objects and no garbage; usual searches take an eighth of a start.
GARBAGE_THRESHOLD: Final = 100_000


class _Program(Group):
    """The program: everyday commands, and groups of others."""

    def invoke(self, ctx: Any) -> Any:
        """Typer would take the end of a packed file that is cut short for that of what somebody types.

        What numba has compiled makes a SystemError of Ctrl-C, and of a signal to end: these end the command as anywhere else.
        """
        try:
            return super().invoke(ctx)
        except EOFError:
            raise InputError("invalid-encoding", "a packed file that is read is cut short") from None
        except SystemError as error:
            stop = _stop_within(error)
            if stop is None:
                raise
            raise stop from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write everyday commands, and then groups."""
        lines = {name: entry.summary for name, entry in self.commands.entries.items()}
        for title, names in (("Everyday", EVERYDAY), ("Groups", [name for name in lines if name not in EVERYDAY])):
            with formatter.section(title):
                formatter.write_dl([(name, lines[name]) for name in names])


program = typer.Typer(
    name="assay", cls=_Program, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Says how good a machine translation is.",
)  # fmt: skip


def _stop_within(error: SystemError) -> KeyboardInterrupt | SystemExit | None:
    """The Ctrl-C or the end that an error of Python's own comes of, if it does."""
    reason: BaseException | None = error
    while isinstance(reason, SystemError):
        reason = reason.__cause__ or reason.__context__
    return reason if isinstance(reason, KeyboardInterrupt | SystemExit) else None


def _version(wanted: bool) -> None:
    if wanted:
        print(f"assay {__version__}")
        raise typer.Exit


@program.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of all commands."""


def run() -> None:
    """Run a command, and end with its status; 141 where whoever read what it prints went away before its end."""
    status = 0
    _open_closed()
    if sys.argv[1:2] != ["serve"]:
        # What is half written is taken away, as for Ctrl-C. A server drains.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATION_STATUS))
        gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        status = _status()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        # A gate that did fail has failed, whoever heard of it.
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
    """Run; an InputError, or a file that cannot be read or written, becomes one line on stderr and exit code 2, or 3 at a limit."""
    try:
        program()
    except SystemExit as end:
        # Typer answers every pipe that breaks by the code of a gate that failed.
        if isinstance(end.__context__, BrokenPipeError):
            return _broken(end.__context__)
        if isinstance(end.code, int):
            return end.code
        raise
    except InputError as error:
        say(f"assay: {error}")
        return 3 if error.code in LIMIT_CODES else 2
    except BrokenPipeError as error:
        return _broken(error)
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return 130
    return 0


def _broken(error: BrokenPipeError) -> int:
    """The status where a pipe broke; BrokenPipeError again where it is one that is printed to."""
    if _reader_is_gone():
        raise error
    return _failed(error)


def _reader_is_gone() -> bool:
    """Whether nobody can read standard output or standard error any more."""
    poll = select.poll()
    for descriptor in (1, 2):
        poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _write_nowhere() -> None:
    """What was not printed yet would be tried again when Python ends, and be an error again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def _failed(error: OSError) -> int:
    say(f"assay: {_place_of(error)}{error.strerror or error}")
    return 2


def _place_of(error: OSError) -> str:
    """The file that a call of the system was about, where it was about one."""
    return "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
