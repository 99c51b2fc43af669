"""The command line as a whole: commands that are imported when they are called, and how errors leave it."""

import os
import select
import signal
import sys
from collections.abc import Iterator, Mapping
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from app import __version__
from app.errors import InputError
from app.shell.commands.catalogue import COMMANDS
from app.shell.output import say
from app.wings import attached

__all__ = ["program", "run"]

Command = TyperCommand | TyperGroup
# Nothing is wrong with what was asked: a server will do it later, or once there is room.
LIMITED: Final = frozenset({"quota-exceeded", "too-many-jobs", "storage-quota-exceeded", "queue-full"})
# As shells have it of commands that a signal ended, which is how others end that print to nobody.
READER_GONE: Final = 128 + signal.SIGPIPE
TERMINATED: Final = 128 + signal.SIGTERM
# Modules of commands that make files of files, which `STEP_FILES` names; decoding knows the tables that a configuration names too.
WRITERS: Final = ("app.shell.commands.resources.", "app.smt.commands.")


class _Commands(Mapping[str, Command]):
    """Commands by name; one is imported, with all that it needs, when it is asked for."""

    def __getitem__(self, name: str) -> Command:
        module, _ = COMMANDS[name]
        group = typer.main.get_group(import_module(module).commands)
        if "numba" in sys.modules and sys.stderr.isatty():
            _say_what_is_compiled()
        command: Any = group.commands[name]
        if module.startswith(WRITERS):
            _keep_inputs(name, command)
        return command  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Program(TyperGroup):
    """Says what commands there are without importing them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

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
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


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
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        status = _status()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        # A gate that did fail has failed, whoever heard of it.
        status = status or READER_GONE
        _write_nowhere()
    sys.exit(status)


def _say_what_is_compiled() -> None:
    """Say it once to whoever sits before the screen: the first use of a command may take a minute longer than any later one."""
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: object) -> None:
            if event is first.setdefault("event", event):
                say("assay: compiling for this machine, once after installing (up to a minute) ...")

        def on_end(self, event: object) -> None:
            pass

    first: dict[str, object] = {}
    event.register("numba:compile", Notice())


def _keep_inputs(name: str, command: Any) -> None:
    """Let a command, and those within it, refuse before anything else to write what it reads, whatever --replace allows."""
    for inner, within in getattr(command, "commands", {}).items():
        _keep_inputs(f"{name} {inner}", within)
    call = command.callback

    def checked(**values: Any) -> Any:
        from app.building.writing import check_apart

        files = next((files[name] for files in attached("command_files") if name in files), None)
        if files is not None:
            check_apart(
                [path for part in files.reads - files.writes for path in _paths(values.get(part), part in files.first)],
                [Path(text) for part in sorted(files.writes) for text in _texts(values.get(part), part in files.first)],
            )
        return call(**values)

    if call is not None:
        command.callback = update_wrapper(checked, call)


def _texts(value: Any, first: bool) -> list[str]:
    """The values of an option as they were typed; of `first`, the first of them alone. Standard input and output are no files."""
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in map(str, values[:1] if first else values) if text != "-"]


def _paths(value: Any, first: bool) -> Iterator[Path]:
    """What FILE, FILE:COLUMN, NAME=FILE or NAME=FILE:COLUMN may mean."""
    for text in _texts(value, first):
        for part in {text, text.partition("=")[2]}:
            yield from (Path(path) for path in (part, part.rpartition(":")[0]) if path)


def _open_closed() -> None:
    """Streams that were closed before the start (``>&-``) lead nowhere: a file that is opened would take their place."""
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
        return 3 if error.code in LIMITED else 2
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
    printed = select.poll()
    for descriptor in (1, 2):
        printed.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in printed.poll(0))


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
