"""Token log-probabilities: natural logs, one per token of the MT system and one for the end; read from text and checked."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

from app.errors import InputError

__all__ = ["check_log_probs", "read_log_probs"]

FIELD: Final = "token_log_probs"


def read_log_probs(cells: Sequence[str], where: Sequence[str | int], longest: int, first: int = 0) -> list[list[float]]:
    """The numbers in each cell, with blanks between them, checked; rows count from `first`.

    InputError: `invalid-table` for what is no number, `log-prob-mismatch` for what no log-probability is.
    """
    rows = [_numbers(cell, (*where, row, FIELD)) for row, cell in enumerate(cells, first)]
    check_log_probs(rows, where, longest, first)
    return rows


def _numbers(cell: str, where: tuple[str | int, ...]) -> list[float]:
    try:
        return [float(word) for word in cell.split()]
    except ValueError:
        raise InputError("invalid-table", f"{FIELD} must be numbers", where) from None


def check_log_probs(rows: Sequence[Sequence[float] | None], where: Sequence[str | int], longest: int, first: int = 0) -> None:
    """At least one number for every segment and at most `longest`, finite, not above 0; rows count from `first`."""
    for row, values in enumerate(rows, first):
        place = (*where, row, FIELD)
        if values is None:
            raise InputError("log-prob-mismatch", f"{FIELD} are given for some segments but not for this one", place)
        if not 0 < len(values) <= longest:
            raise InputError(
                "log-prob-mismatch", f"{len(values)} numbers; expected one per token and one for the end, 1 to {longest}", place
            )
        for k, value in enumerate(values):
            if not isfinite(value) or value > 0.0:
                raise InputError("log-prob-mismatch", "a log-probability is a finite number that is not above 0", (*place, k))
