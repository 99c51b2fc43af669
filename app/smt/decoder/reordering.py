"""Lexicalised reordering: what a type of model looks at, its tables, and what it says of a derivation.

An orientation is one of four: monotone, swap, a jump to the left, a jump to the right. Models that tell fewer of them apart have
one score for several (`TYPES`), so a search that knows the four serves all.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, UInt64s
from app.errors import InputError
from app.smt.corpus.phrases.compact import CompactTable, is_compact
from app.smt.corpus.phrases.table_text import read_table
from app.smt.decoder.phrase_table import PhraseRows
from app.smt.decoder.text_phrases import TextPhrases, places_of

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


def read_reordering_table(
    path: Path | CompactTable, kind: ReorderingType, rows: PhraseRows, only: TextPhrases | None = None
) -> Float64s:
    """Logarithms of the scores of each pair of phrases, 0 where the table does not have it; of shape (rows, scores).

    A compact table of ours may be open, or is told by its first bytes. With `only` a text, whose phrases the rows are of, others
    are passed over.
    """
    keys = rows.sources if kind.of_source else rows.pairs
    distinct, places = np.unique(keys, return_inverse=True)
    scores = np.zeros((len(distinct), kind.scores))
    if isinstance(path, CompactTable) or is_compact(path):
        table = path if isinstance(path, CompactTable) else CompactTable.open(path)
        if kind.of_source or table.scores.shape[1] != kind.scores:
            detail = f"{path.name} has {table.scores.shape[1]} scores of pairs of phrases a row; {kind.scores} are expected"
            raise InputError("invalid-table", f"{detail}, of the source alone" if kind.of_source else detail, (path.name,))
        try:
            chosen, _ = table.rows_of_sources(np.unique(rows.sources))
            _enter(table.pairs[chosen], table.scores[chosen].astype(np.float64), distinct, scores)
        except (IndexError, MemoryError, ValueError):
            detail = f"{table.name} is damaged; assay smt compact-table writes it anew"
            raise InputError("invalid-table", detail, (table.name,)) from None
    else:
        for block in read_table(path, kind.scores, kind.of_source, None if only is None else only.held):
            _enter(block.source_hashes() if kind.of_source else block.pair_hashes(), block.scores, distinct, scores)
    return scores[places.reshape(-1)]


def _enter(hashes: UInt64s, values: Float64s, distinct: UInt64s, scores: Float64s) -> None:
    wanted, at = places_of(hashes, distinct)
    scores[at] = values[wanted]
