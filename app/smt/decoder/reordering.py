"""Lexicalised reordering: types of models, and their tables.

An orientation is one of four: monotone, swap, a jump to the left, a jump to the right. A model with fewer orientations has one
score for several (`TYPES`), so a search that knows the four serves all models.
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
# Column of each of the four orientations.
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
    """Type of a reordering model: it compares a phrase with words, phrases or, if `hierarchical`, largest blocks beside it.

    `columns` belong to the four orientations. `backward` scores relate a phrase to the previous one, `forward` scores to the next
    one. If `of_source`, rows of the table have source phrases alone.
    """

    columns: tuple[int, int, int, int]
    backward: bool
    forward: bool
    hierarchical: bool
    of_source: bool

    @property
    def scores(self) -> int:
        """Number of scores a line: first the backward direction, then the forward one."""
        return (max(self.columns) + 1) * (self.backward + self.forward)

    def columns_of(self, backward: bool) -> list[int]:
        """Columns of the four orientations in one direction."""
        begin = 0 if backward or not self.backward else max(self.columns) + 1
        return [begin + column for column in self.columns]


def reordering_type(text: str) -> ReorderingType:
    """Parse a type such as ``hier-mslr-bidirectional-fe``; InputError shows the form."""
    parts = text.split("-")
    model = [part for part in parts if part in MODELS]
    kind = [part for part in parts if part in TYPES]
    direction = [part for part in parts if part in DIRECTIONS]
    condition = [part for part in parts if part in ("fe", "f")]
    foreign_parts = set(parts) - {*model, *kind, *direction, *condition, "allff"}
    if foreign_parts or len(kind) != 1 or max(len(model), len(direction), len(condition)) > 1:
        raise InputError(
            "invalid-request",
            "the type of a reordering model is [wbe|phrase|hier-]msd|mslr|monotonicity|leftright[-backward|forward|bidirectional]"
            f"[-fe|f], and not {text}",
        )
    backward, forward = DIRECTIONS[direction[0] if direction else "backward"]
    return ReorderingType(TYPES[kind[0]], backward, forward, model == ["hier"], condition == ["f"])


def read_reordering_table(
    path: Path | CompactTable, kind: ReorderingType, rows: PhraseRows, text_phrases: TextPhrases | None = None
) -> Float64s:
    """Logarithms of the scores of each phrase pair, 0 for pairs that the table lacks; shape (rows, scores).

    The table is text or compact, either open or a file. With `text_phrases`, the phrases of the rows, lines about different phrases
    are skipped.
    """
    keys = rows.sources if kind.of_source else rows.pairs
    distinct, inverse = np.unique(keys, return_inverse=True)
    scores = np.zeros((len(distinct), kind.scores))
    if isinstance(path, CompactTable) or is_compact(path):
        table = path if isinstance(path, CompactTable) else CompactTable.open(path)
        if kind.of_source or table.scores.shape[1] != kind.scores:
            detail = f"{path.name} has {table.scores.shape[1]} scores a row for phrase pairs, but num-features is {kind.scores}"
            raise InputError("invalid-table", f"{detail}, for sources alone" if kind.of_source else detail, (path.name,))
        try:
            table_rows, _ = table.rows_of_sources(np.unique(rows.sources))
            _enter(table.pairs[table_rows], table.scores[table_rows].astype(np.float64), distinct, scores)
        except (IndexError, MemoryError, ValueError):
            detail = f"{table.name} is damaged; write it again with assay smt compact-table"
            raise InputError("invalid-table", detail, (table.name,)) from None
    else:
        for block in read_table(path, kind.scores, kind.of_source, None if text_phrases is None else text_phrases.allowed):
            _enter(block.source_hashes() if kind.of_source else block.pair_hashes(), block.scores, distinct, scores)
    return scores[inverse.reshape(-1)]


def _enter(hashes: UInt64s, values: Float64s, distinct: UInt64s, scores: Float64s) -> None:
    matches, places = places_of(hashes, distinct)
    scores[places] = values[matches]
