"""Limits of offences: the largest number that each room may have; a room without a limit may have none."""

import tomllib
from pathlib import Path
from typing import Final

from benchmarks.house.prose import counts

__all__ = ["LIMITS", "read_limits", "write_limits"]

LIMITS: Final = Path("tests/prose_limits.toml")
HEAD: Final = """\
# Offences of prose and names that each room may still have: python -m benchmarks.house --prose ROOM lists them.
# python -m benchmarks.house --write-limits writes this file anew; it goes once all rooms are at 0.
"""


def read_limits(root: Path) -> dict[str, int]:
    """Limits of rooms; empty where the file is gone."""
    path = root / LIMITS
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def write_limits(root: Path) -> None:
    """Write the present number of offences of each room as its limit; delete the file if no room has any."""
    rows = [f'"{room}" = {sum(counter.values())}\n' for room, counter in counts(root).items()]
    if rows:
        (root / LIMITS).write_text(HEAD + "".join(rows), "utf-8")
    else:
        (root / LIMITS).unlink(missing_ok=True)
