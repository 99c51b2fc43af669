"""Runs of commands on tables: options, executors, and a summary at the end."""

import sys
from collections.abc import Collection, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.running.processors import available_processors
from app.shell.declaration.parameters import changed, refuse
from app.shell.options.large_tables import LargeTableOptions
from app.shell.output import counted, progress_bar, say

__all__ = ["named_columns", "refuse_others", "run_shards", "say_rows", "say_summary", "writes_files"]

# Failed shards that are printed.
FAILURE_LIMIT: Final = 20
# Ends of names of files that only --out reads, by the fields of commands with their files.
KINDS: Final = (".parquet", ".pq", ".arrow", ".feather")
FIELDS: Final = ("files", "first", "source", "systems")
OF_FILES: Final = tuple(field.name for field in fields(LargeTableOptions))


def writes_files(options: LargeTableOptions) -> bool:
    """True with --out; without it, InputError for an option or a file that goes with it."""
    if options.out is None:
        refuse(changed(options, OF_FILES), "this option goes with --out, which names a folder for results of files")
        values = [getattr(options, name, None) or () for name in FIELDS]
        files = [str(file) for value in values for file in (value if isinstance(value, list) else [value])]
        table = next((file for file in files if file.endswith(KINDS)), None)
        if table is not None:
            detail = "tables of Parquet and Arrow need a folder for results: add --out FOLDER"
            raise InputError("invalid-request", detail, (Path(table).name,))
    return options.out is not None


def refuse_others(options: LargeTableOptions, companions: Collection[str]) -> None:
    """InputError for an option that --out has no use for."""
    names = [field.name for field in fields(options) if field.name not in (*companions, *OF_FILES)]
    refuse(changed(options, names), "--out writes results of files, for which this option does nothing; leave one of the two out")


def named_columns(spec: str | None, repeatable: str | None = None) -> list[tuple[str, str]]:
    """Columns of ``source=src,translation=mt`` with their roles, in their order; a role has one, but for a `repeatable` one."""
    columns: list[tuple[str, str]] = []
    for part in spec.split(",") if spec else []:
        role, separator, name = part.partition("=")
        if not (role and separator and name):
            raise InputError("invalid-request", f"{part} is no column; write ROLE=COLUMN, as source=src", ("--columns",))
        if role != repeatable and role in dict(columns):
            raise InputError("invalid-request", f"{role} is named twice; name one column", ("--columns",))
        columns.append((role, name))
    return columns


def run_shards(task: Any, shards: Sequence[Any], options: LargeTableOptions) -> Any:
    """The summary of a run on processes, or on a cluster with --cluster."""
    from app.scale.executors.processes import processes
    from app.scale.executors.ray_tasks import ray_tasks
    from app.scale.files.places import check_shared
    from app.scale.runs import Outcome, run

    check_shared(task.out)
    executor = processes(options.processes or available_processors()) if options.cluster is None else ray_tasks(options.cluster)
    with progress_bar("files") as bar:

        def report(finished: int, count: int, outcome: Outcome) -> None:
            bar(outcome.output, finished / count)

        try:
            return run(task, shards, executor, report, replace=getattr(options, "replace", False))
        except (KeyboardInterrupt, SystemExit):
            # The latter by SIGTERM.
            say(f"{options.out}: interrupted; the same command goes on where this one ended")
            raise
        except ConnectionAbortedError as error:
            say(f"{options.out}: {error}; the same command goes on where this one ended")
            sys.exit(1)


def say_rows(summary: Any, options: LargeTableOptions, place_of_errors: str, rows: int | None = None) -> None:
    """Print the numbers of rows and of files with a result. `place_of_errors` says where the errors of rows are.

    `rows` is the number of rows in the results, if they are fewer.
    """
    of_earlier_run = f", {summary.earlier} of them by an earlier run" if summary.earlier else ""
    part, files = "" if rows is None else f"{rows} of ", summary.shards - len(summary.failures)
    say(f"{options.out}: {part}{counted(summary.rows, 'row')} in {counted(files, 'file')}{of_earlier_run}")
    if summary.faults:
        say(f"{counted(summary.faults, 'row')} without a result{place_of_errors}")


def say_summary(summary: Any, options: LargeTableOptions, place_of_errors: str, rows: int | None = None) -> None:
    """Print the summary; the exit code is 1 if a shard has an error."""
    say_rows(summary, options, place_of_errors, rows)
    for failure in summary.failures[:FAILURE_LIMIT]:
        say(f"no result for {failure.output}: {failure.error}")
    if summary.failures:
        failed = f"{counted(len(summary.failures), 'file')} of {summary.shards} failed"
        say(f"{failed}; the command goes on with them when it runs again")
        sys.exit(1)
