"""Lexicalised reordering: what a type of model looks at, its tables, and what it says of a derivation.

An orientation is one of four: monotone, swap, a jump to the left, a jump to the right. Models that tell fewer of them apart have
one score for several (`TYPES`), so a search that knows the four serves all.
"""

from array import array
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, UInt64s
from app.errors import InputError
from app.text.hashing import hash_tokens
from app.translation.phrase_table import PhraseRows
from app.translation.table_text import log_scores, refused_line, table_lines

__all__ = ["JUMP_LEFT", "JUMP_RIGHT", "MONOTONE", "SWAP", "ReorderingType", "read_reordering_table", "reordering_type"]

MONOTONE, SWAP, JUMP_LEFT, JUMP_RIGHT = range(4)
# The column of each of the four orientations.
TYPES: Final = {"msd": (0, 1, 2, 2), "mslr": (0, 1, 2, 3), "monotonicity": (0, 1, 1, 1), "leftright": (0, 1, 1, 0)}
DIRECTIONS: Final = {
    "backward": (True, False),
    "unidirectional": (True, False),
    "forward": (False, True),
    "bidirectional": (True, True),
}
MODELS: Final = ("wbe", "phrase", "hier")
CHUNK: Final = 20_000


@dataclass(frozen=True)
class ReorderingType:
    """What a model looks at: words or phrases beside a phrase, or the largest blocks there (`hierarchical`).

    `columns` are those of the four orientations; `backward` scores are of a phrase and what was translated before it, `forward`
    ones of a phrase and what is translated next. `of_source` is a table of source phrases alone.
    """

    columns: tuple[int, int, int, int]
    backward: bool
    forward: bool
    hierarchical: bool
    of_source: bool

    @property
    def scores(self) -> int:
        """Scores a line: of the backward direction, then of the forward one."""
        return (max(self.columns) + 1) * (self.backward + self.forward)

    def columns_of(self, backward: bool) -> list[int]:
        """The columns of the four orientations in one of its directions."""
        first = 0 if backward or not self.backward else max(self.columns) + 1
        return [first + column for column in self.columns]


def reordering_type(text: str) -> ReorderingType:
    """The type that a configuration names, as ``hier-mslr-bidirectional-fe``; InputError says what is taken."""
    parts = text.split("-")
    model = [part for part in parts if part in MODELS]
    kind = [part for part in parts if part in TYPES]
    direction = [part for part in parts if part in DIRECTIONS]
    condition = [part for part in parts if part in ("fe", "f")]
    other = set(parts) - {*model, *kind, *direction, *condition, "allff"}
    if other or len(kind) != 1 or max(len(model), len(direction), len(condition)) > 1:
        raise InputError(
            "invalid-request",
            "the type of a reordering model is [wbe|phrase|hier-]msd|mslr|monotonicity|leftright[-backward|forward|bidirectional]"
            f"[-fe|f], and not {text}",
        )
    backward, forward = DIRECTIONS[direction[0] if direction else "backward"]
    return ReorderingType(TYPES[kind[0]], backward, forward, model == ["hier"], condition == ["f"])


def read_reordering_table(path: Path, kind: ReorderingType, rows: PhraseRows, only: Container[str] | None = None) -> Float64s:
    """Logarithms of the scores of each pair of phrases, 0 where the table does not have it; of shape (rows, scores).

    Lines are read of `only` these source phrases, if any are given: those of the rows.
    """
    keys = rows.sources if kind.of_source else rows.pairs
    distinct, places = np.unique(keys, return_inverse=True)
    scores = np.zeros((len(distinct), kind.scores))
    texts: list[str] = []
    values = array("d")
    for number, cells in table_lines(path, only):
        if len(cells) < 2 + (not kind.of_source):
            raise refused_line(path, number, "expected: source ||| target ||| scores, or source ||| scores of a type f")
        values.extend(log_scores(path, number, cells[1 if kind.of_source else 2], kind.scores))
        texts.append(cells[0] if kind.of_source else f"{cells[0]} ||| {cells[1]}")
        if len(texts) == CHUNK:
            _enter(texts, values, distinct, scores)
            texts, values = [], array("d")
    _enter(texts, values, distinct, scores)
    return scores[places]


def _enter(texts: list[str], values: "array[float]", distinct: UInt64s, scores: Float64s) -> None:
    if not texts:
        return
    hashes = hash_tokens(texts)
    at = np.minimum(np.searchsorted(distinct, hashes), len(distinct) - 1)
    wanted = distinct[at] == hashes
    scores[at[wanted]] = np.array(values).reshape(len(texts), -1)[wanted]
