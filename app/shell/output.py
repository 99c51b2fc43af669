"""How commands print: tables for people, JSON or TSV for programs."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

__all__ = ["Format", "print_answer", "print_json", "print_rows", "progress_bar", "say"]


class Format(StrEnum):
    """Forms of an answer."""

    TEXT = "text"
    JSON = "json"
    TSV = "tsv"
    MARKDOWN = "markdown"


def say(message: str) -> None:
    """A diagnostic for people, on stderr."""
    print(message, file=sys.stderr)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr, and what moves it: what is being done, and which share of it is done. None where it is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda message, share: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda message, share: bar.update(task, description=message, completed=share)


def print_json(value: object) -> None:
    """One JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return " ".join(_text(part) for part in value)
    return str(value)


def print_rows(rows: Sequence[Mapping[str, Any]], form: Format, columns: Sequence[str] | None = None) -> None:
    """Rows as an aligned table or as TSV; columns in the order of the first row unless named."""
    names = list(columns or (rows[0] if rows else ()))
    if form is Format.TSV:
        print("\t".join(names))
        for row in rows:
            cells = (json.dumps(v) if isinstance(v, list | dict) else str(v) for v in (row.get(n, "") for n in names))
            print("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells))
        return
    if form is Format.MARKDOWN:
        print("| " + " | ".join(names) + " |")
        print("|" + " --- |" * len(names))
        for row in rows:
            print("| " + " | ".join(_text(row.get(name, "")).replace("|", "\\|").replace("\n", " ") for name in names) + " |")
        return
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in names:
        sample = rows[0].get(name) if rows else None
        table.add_column(name, justify="right" if isinstance(sample, int | float) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_text(row.get(name, "")) for name in names))
    width = None if sys.stdout.isatty() else 200
    Console(width=width, highlight=False, markup=False).print(table)


def print_answer(answer: Mapping[str, Any], rows: str, form: Format, columns: Sequence[str] | None = None) -> None:
    """An answer: whole as JSON, or its list called `rows` as a table, with what else it says on stderr."""
    if form is Format.JSON:
        print_json(answer)
        return
    print_rows(answer[rows], form, columns)
    rest = {key: value for key, value in answer.items() if key != rows and not isinstance(value, list)}
    for key, value in rest.items():
        shown = ", ".join(f"{k} {_text(v)}" for k, v in value.items()) if isinstance(value, Mapping) else _text(value)
        say(f"{key}: {shown}")
