"""Output of commands: tables for people, JSON or TSV for programs."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr
from io import StringIO
from typing import Any

from app.shell.declaration.forms import Format
from app.text.writing.visible import visible

__all__ = [
    "Format",
    "counted",
    "fail",
    "json_text",
    "print_answer",
    "print_json",
    "print_lines",
    "print_rows",
    "print_verdicts",
    "progress_bar",
    "quietly",
    "say",
    "say_cautions",
    "say_default",
]


def fail(gates: Sequence[str]) -> None:
    """End with exit code 1 and a line for each failed gate; return if no gate failed."""
    for sentence in gates:
        say(f"gate failed: {sentence}")
    if gates:
        sys.exit(1)


def counted(number: int, noun: str) -> str:
    """``1 segment``, ``2 segments``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def say(message: str) -> None:
    """Print a message for people on stderr."""
    print(message, file=sys.stderr)


def quietly(enabled: bool) -> AbstractContextManager[object]:
    """Discard messages on stderr within the context, for --quiet. Gates and errors are printed outside of it."""
    return redirect_stderr(StringIO()) if enabled else nullcontext()


def say_cautions(answer: Mapping[str, Any]) -> None:
    """Print the cautions of an answer on stderr."""
    for caution in answer.get("cautions", ()):
        say(f"caution: {caution}")
    if "new_pair" in answer:
        first, *later = answer["new_pair"]["curve"]
        rows = "; ".join(f"with {row['labels']:,}: {row['pearson']:.2f} and {row['mae']:.2f}" for row in later)
        say(
            f"On languages it never saw: correlation {first['pearson']:.2f}, mean error {first['mae']:.2f}. "
            f"After training on judgements of yours, {rows}."
        )


def say_default(answer: Mapping[str, Any]) -> None:
    """Print on stderr that a trained model answers where none is named, if the answer has this."""
    if "answers_for" in answer:
        say(f"{answer['model']} answers for {answer['answers_for']} from now on")


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on stderr if it is a terminal; yield a function that takes the task and its finished share."""
    if not sys.stderr.isatty():
        yield lambda message, share: None
        return
    from app.shell.console import terminal_bar

    with terminal_bar(title) as move:
        yield move


def json_text(value: object, indent: int | None = 1) -> str:
    """One JSON document, without an end of line."""
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)


def print_json(value: object) -> None:
    """One JSON document."""
    print(json_text(value))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return " ".join(_text(part) for part in value)
    return visible(str(value))


def _is_number(value: object) -> bool:
    """Return True if a cell is a number or the digits of a number."""
    return isinstance(value, int | float) or (isinstance(value, str) and value.removeprefix("-").replace(".", "", 1).isdecimal())


def _cell(value: object) -> str:
    return ("" if value is None else str(value)).replace("\t", " ").replace("\r", " ").replace("\n", " ")


def _markdown(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def print_rows(
    rows: Sequence[Mapping[str, Any]], form: Format, columns: Sequence[str] | None = None, width: int | None = None
) -> None:
    """Print rows as an aligned table, Markdown or TSV; without `columns`, all columns in order of appearance.

    `width` limits an aligned table. TSV rows are flat, as in results of jobs: an interval is two columns.
    """
    # A late import: `assay --help` loads no operation.
    from app.operations.parts.flat_rows import columns_of_rows, flat_row

    if form is Format.TSV:
        flat = [dict(flat_row({name: row[name] for name in columns or row if name in row})) for row in rows]
        names = columns_of_rows(flat) or list(columns or ())
        print("\t".join(names))
        for values in flat:
            print("\t".join(_cell(values.get(name, "")) for name in names))
        return
    names = list(columns or columns_of_rows(rows))
    if form is Format.MARKDOWN:
        print(_markdown(list(map(_text, names))))
        print("|" + " --- |" * len(names))
        for row in rows:
            print(_markdown([_text(row.get(name, "")) for name in names]))
        return
    from app.shell.console import print_table

    cells: dict[str, list[object]] = {name: [row[name] for row in rows if row.get(name, "") != ""] for name in names}
    numeric = {name for name in names if cells[name] and all(map(_is_number, cells[name]))}
    print_table(list(map(_text, names)), numeric, [[_text(row.get(name, "")) for name in names] for row in rows], width)


def print_lines(lines: Sequence[str], form: Format) -> None:
    """Print lines below a table, as a list in Markdown; on stderr for TSV, whose output is one table."""
    for line in ["", *map(visible, lines)] if lines else []:
        if form is Format.TSV:
            say(line)
        else:
            print(f"- {line}" if line and form is Format.MARKDOWN else line)


def print_verdicts(verdicts: Sequence[Mapping[str, Any]], form: Format) -> None:
    """Print the sentences of verdicts."""
    print_lines([verdict["sentence"] for verdict in verdicts], form)


def print_answer(
    answer: Mapping[str, Any], rows: str, form: Format, columns: Sequence[str] | None = None, width: int | None = None
) -> None:
    """Print an answer as JSON, or its list `rows` as a table and its other members on stderr."""
    if form is Format.JSON:
        print_json(answer)
        return
    print_rows(answer[rows], form, columns, width)
    # `say_cautions` prints cautions and `new_pair`.
    rest = {key: value for key, value in answer.items() if key not in (rows, "new_pair") and not isinstance(value, list | None)}
    for key, value in rest.items():
        text = ", ".join(f"{k} {_text(v)}" for k, v in value.items()) if isinstance(value, Mapping) else _text(value)
        say(f"{key}: {text}")
