"""Lines of a phrase table and of its halves: the four scores and additions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from gzip import GzipFile
from typing import Final, Literal

import numpy as np

from app.arrays import Bools, Float64s, Int64s, UInt8s
from app.errors import InputError
from app.smt.corpus.phrases.scoring.additions.scores import Addition, Column
from app.smt.corpus.phrases.scoring.additions.sparse_column import SparseScores, side_by_side
from app.smt.corpus.phrases.scoring.discounting import Frequencies
from app.smt.corpus.phrases.scoring.gathering import PairBlock
from app.smt.corpus.phrases.scoring.table_kernels import write_half_lines, write_table_lines

__all__ = ["HALVES", "Half", "PhraseLines", "Thresholds"]

Half = Literal["f2e", "e2f"]
# p(target | source), then p(source | target): f is the source, e the target.
HALVES: Final[tuple[Half, ...]] = ("f2e", "e2f")


@dataclass(frozen=True)
class Thresholds:
    """Lower limits of a table: extracted `count`, p(s|t) `inverse`, and p(t|s) `direct`; 0 sets no limit."""

    count: float = 0.0
    inverse: float = 0.0
    direct: float = 0.0

    @classmethod
    def parse(cls, count: float, scores: str | None) -> "Thresholds":
        """Thresholds of a count and of `scores` as in Moses, ``0:0.001,2:0.0001``: 0 is p(s|t), 2 is p(t|s).

        InputError for malformed scores.
        """
        thresholds: dict[str, float] = {}
        for part in scores.split(",") if scores is not None else ():
            column, _, number = part.partition(":")
            try:
                threshold = float(number)
            except ValueError:
                threshold = -1.0
            if column not in ("0", "2") or column in thresholds or not 0 < threshold <= 1:
                detail = (
                    f"thresholds are 0:P for p(s|t), 2:P for p(t|s) or both with a comma, P above 0 and at most 1, not {part!r}"
                )
                raise InputError("invalid-request", detail, ("--min-score",))
            thresholds[column] = threshold
        return cls(count, thresholds.get("0", 0.0), thresholds.get("2", 0.0))

    @property
    def words(self) -> list[str]:
        """Options of the command line."""
        scores = ",".join(
            f"{name}:{np.format_float_positional(value, trim='-')}"
            for name, value in (("0", self.inverse), ("2", self.direct))
            if value
        )
        words = ["--min-count", np.format_float_positional(self.count, trim="-")] if self.count else []
        return words + (["--min-score", scores] if scores else [])

    def count_mask(self, block: PairBlock) -> Bools:
        """Mask of pairs with a sufficient count; shape (pairs,). Like Moses, allows for rounding in sums of weights."""
        minimum = np.float32(float(np.float32(self.count)) - 0.00001)
        mask: Bools = block.numbers[:, 0].astype(np.float32) >= minimum
        return mask

    def probability_mask(self, inverse: Float64s, direct: Float64s) -> Bools:
        """Mask of pairs with sufficient probabilities in both directions; shape (pairs,). Limits are rounded to 32 bits."""
        mask: Bools = (inverse >= np.float32(self.inverse)) & (direct >= np.float32(self.direct))
        return mask


@dataclass
class PhraseLines:
    """Writer of pairs into a table and into `halves`; `line_count` counts lines of the table, `width` scores of a line.

    Additions stand in their order. With `only_direct` a table has only p(t|s) and lex(t|s) of the four scores.
    """

    frequencies: Frequencies
    additions: Sequence[Addition]
    thresholds: Thresholds
    only_direct: bool
    table: GzipFile
    halves: dict[Half, GzipFile]
    line_count: int = field(default=0, init=False)
    width: int = field(default=0, init=False)

    def write(self, block: PairBlock) -> None:
        """Write the lines of a block."""
        count_mask = self.thresholds.count_mask(block)
        inverse = _columns([addition.inverse for addition in self.additions], block)
        direct = _columns([addition.direct for addition in self.additions], block)
        for half, file in self.halves.items():
            file.write(self._half_lines(block, half, inverse if half == "e2f" else direct, np.flatnonzero(count_mask)).data)
        joint = block.numbers[:, 0]
        backward = self.frequencies(joint, block.target[:, 0], block.target[:, 1], block.source[:, 1])
        forward = self.frequencies(joint, block.source[:, 0], block.source[:, 1], block.target[:, 1])
        rows = np.flatnonzero(count_mask & self.thresholds.probability_mask(backward, forward))
        self.table.write(self._table_lines(block, (backward, forward), (inverse, direct), rows).data)
        self.line_count += len(rows)

    def _half_lines(self, block: PairBlock, half: Half, additions: "_Columns", rows: Int64s) -> UInt8s:
        lexical, phrase = (block.numbers[:, 1], block.target) if half == "e2f" else (block.numbers[:, 2], block.source)
        scores = np.column_stack([lexical, *additions.dense])
        counts = [phrase[:, 0], block.numbers[:, 0]]
        # Kneser-Ney discounts need the number of partners of the phrase.
        counts += [phrase[:, 1]] if self.frequencies.discount == "kneser-ney" else []
        places = (block.text, block.offsets, rows, half == "f2e")
        lines: UInt8s = write_half_lines(*places, scores, np.column_stack(counts), *_sparse_arrays(additions.sparse, block))
        return lines

    def _table_lines(
        self, block: PairBlock, frequencies: tuple[Float64s, Float64s], additions: "tuple[_Columns, _Columns]", rows: Int64s
    ) -> UInt8s:
        (backward, forward), (inverse, direct) = frequencies, additions
        joint = _columns([addition.joint for addition in self.additions], block)
        of_inverse = [] if self.only_direct else [backward, block.numbers[:, 1], *inverse.dense]
        scores = np.column_stack([*of_inverse, forward, block.numbers[:, 2], *direct.dense, *joint.dense])
        counts = np.column_stack([block.target[:, 0], block.source[:, 0], block.numbers[:, 0]])
        sparse = [*direct.sparse, *inverse.sparse, *joint.sparse]
        self.width = scores.shape[1]
        lines: UInt8s = write_table_lines(block.text, block.offsets, rows, scores, counts, *_sparse_arrays(sparse, block))
        return lines


@dataclass(frozen=True)
class _Columns:
    dense: list[Float64s]
    sparse: list[SparseScores]


def _columns(columns: Sequence[Column | None], block: PairBlock) -> _Columns:
    results = [column(block) for column in columns if column is not None]
    dense = [column for column in results if not isinstance(column, SparseScores)]
    return _Columns(dense, [column for column in results if isinstance(column, SparseScores)])


def _sparse_arrays(sparse: Sequence[SparseScores], block: PairBlock) -> tuple[UInt8s, Int64s, Int64s, Int64s, Float64s]:
    """Sparse scores as arguments of kernels: spelling, ends of names, offsets, ids, values."""
    scores = side_by_side(sparse, len(block.numbers))
    return (*scores.spelling(), scores.offsets, scores.ids, scores.values)
