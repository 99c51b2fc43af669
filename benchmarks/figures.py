"""Tables of figures: Markdown for people, and lines of JSON for programs, each with the machine, the commit and versions of packages."""

import json
import os
import platform
import statistics
import subprocess
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from app.settings import ROOT

__all__ = ["Spread", "Table", "add_json_option", "machine"]


@dataclass(frozen=True)
class Spread:
    """Values of several runs: the median, with the smallest and the largest."""

    values: Sequence[float]

    def __format__(self, form: str) -> str:
        low, median, high = (format(value, form) for value in (min(self.values), self.median, max(self.values)))
        return f"{median} ({low}–{high})" if len(self.values) > 1 else median

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.values)


def add_json_option(parser: ArgumentParser) -> None:
    """Add the option ``--json FILE`` of a benchmark."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="append each row as a line of JSON, too")


class Table:
    """A table whose rows are printed when they are known.

    `columns` are names with the form of their numbers, such as ``{"rows/s": ",.0f"}``. A cell is a text, a number, a Spread, or None.
    """

    def __init__(self, name: str, columns: Mapping[str, str], path: Path | None = None, packages: Sequence[str] = ()) -> None:
        """`path` gets the lines of JSON, with versions of `packages` in each."""
        self._columns, self._path = columns, path
        self._record = {"benchmark": name, **machine(packages)}
        print(", ".join(f"{key} {value}" for key, value in self._record.items() if key != "benchmark"))
        print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)

    def add(self, *cells: str | float | Spread | None) -> None:
        """Print a row."""
        cells_by_name = dict(zip(self._columns, cells, strict=True))
        texts = (
            "" if cell is None else cell.replace("|", "\\|") if isinstance(cell, str) else format(cell, self._columns[name])
            for name, cell in cells_by_name.items()
        )
        print(f"| {' | '.join(texts)} |", flush=True)
        if self._path is not None:
            values: dict[str, Any] = {
                name: {"median": cell.median, "runs": list(cell.values)} if isinstance(cell, Spread) else cell
                for name, cell in cells_by_name.items()
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**self._record, "row": values}) + "\n")


def machine(packages: Sequence[str] = ()) -> dict[str, str]:
    """The processor, its cores and load, Python, the commit, and versions of packages."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "commit": commit.stdout.strip() or "unknown",
        **{package: _version(package) for package in packages},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
