"""What the examples share: the client, files of lines and tables, progress on stderr, and errors as sentences."""

import csv
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay_client import AssayError, Client


def client() -> Client:
    """A client of the server that the environment names."""
    return Client(os.environ.get("ASSAY_SERVER", "http://127.0.0.1:8000"), api_key=os.environ.get("ASSAY_KEY") or None, poll=0.2)


def lines(path: str) -> list[str]:
    """The lines of a file of text."""
    return Path(path).read_text(encoding="utf-8").splitlines()


def pairs(source: str, translation: str) -> list[dict[str, Any]]:
    """Segments of two files of lines."""
    ours, theirs = lines(source), lines(translation)
    if len(ours) != len(theirs):
        sys.exit(f"{source} has {len(ours)} lines, {translation} has {len(theirs)}")
    return [{"source": a, "translation": b} for a, b in zip(ours, theirs, strict=True)]


def labelled(path: str) -> list[dict[str, Any]]:
    """Segments with labels, of a table with a header."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    try:
        return [{"source": row["source"], "translation": row["translation"], "label": float(row["label"])} for row in rows]
    except (KeyError, TypeError, ValueError):
        sys.exit(f"{path} needs the columns source, translation and label, a number")


def told(job: Any) -> None:
    """Show how far a job is, on one line of a terminal that is written anew, or once at its end; what `on_progress` is."""
    over, terminal = job["state"] not in ("queued", "running"), sys.stderr.isatty()
    line = f"{job['kind']}: {job['state']}, {job['done']} of {job['total']}"
    if terminal:
        # Blanks hide what is left of a longer line.
        print(f"\r{line:<60}", end="\n" if over else "", file=sys.stderr, flush=True)
    elif over:
        print(line, file=sys.stderr, flush=True)


def run(main: Callable[[Sequence[str]], None], usage: str, least: int) -> None:
    """Run an example with the command's arguments, at least so many; what goes wrong is one sentence."""
    arguments = sys.argv[1:]
    if len(arguments) < least:
        print(f"usage: {usage}", file=sys.stderr)
        sys.exit(2)
    try:
        main(arguments)
    except OSError as error:
        print(f"{error.filename} cannot be read or written: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    except (AssayError, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
