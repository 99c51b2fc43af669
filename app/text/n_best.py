"""Moses' n-best lists: ``segment ||| text ||| name: score ... ||| total`` per line."""

from collections.abc import Sequence

from app.errors import InputError
from app.text.side_information import Hypothesis

__all__ = ["read_n_best"]

SEPARATOR = "|||"


def read_n_best(lines: Sequence[str]) -> list[tuple[Hypothesis, ...]]:
    """The hypotheses of every segment, in the order of the lines; segments are numbered from 0 without gaps.

    InputError names the line that is not of an n-best list.
    """
    lists: list[list[Hypothesis]] = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split(SEPARATOR)]
        try:
            segment, text, features, score = int(cells[0]), cells[1], _features(cells[2]), float(cells[3])
        except (ValueError, IndexError):
            raise InputError("invalid-table", "expected: segment ||| text ||| name: score ... ||| total", (number,)) from None
        if segment not in (len(lists) - 1, len(lists)):
            raise InputError(
                "invalid-table", "segments are numbered from 0, each the same as the line before or the next", (number,)
            )
        if segment == len(lists):
            lists.append([])
        lists[-1].append(Hypothesis(text, score, features))
    return [tuple(row) for row in lists]


def _features(cell: str) -> dict[str, tuple[float, ...]]:
    """Both ways of Moses: ``d: 0 -1`` and ``d= 0 -1``; scores without a name are called ``score``."""
    found: dict[str, list[float]] = {}
    name = "score"
    for word in cell.split():
        if word[-1] in ":=":
            name = word[:-1]
        else:
            found.setdefault(name, []).append(float(word))
    return {name: tuple(scores) for name, scores in found.items()}
