"""The neural translation model: network and vocabulary, for ln p(hypothesis | source)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.building.carded_arrays import read_arrays, write_arrays
from app.errors import InputError
from app.running.deadline import check_deadline
from app.smt.lists.reranking.neural.network import SPECIAL, Floats, forward, log_probs_of, numbers_of, pack
from app.text.batch import TokenColumn

__all__ = ["TranslationModel", "numbered"]

ROWS_AT_ONCE: Final = 128
# Most tokens of either text: longer texts are cut, to bound the work.
LONGEST: Final = 200
KIND: Final = "translation-model"
SIDES: Final = ("source_words", "target_words")
SHAPES: Final = {"keys": 2, "queries": 2, "meeting": 2, "hidden": 2, "source": 2, "target": 2, "output": 2, "distances": 1}


@dataclass(frozen=True, eq=False)
class TranslationModel:
    """A neural translation model; `source_words` and `target_words` are ascending hashes, numbered from 3 on.

    `weights` are those of `network`; `card` has the origin of the model.
    """

    source_words: UInt64s
    target_words: UInt64s
    weights: Mapping[str, Floats]
    card: Mapping[str, Any] = field(default_factory=dict)

    def score(self, sources: TokenColumn, hypotheses: TokenColumn, segment_of: Int64s) -> Float64s:
        """Return ln p(hypothesis and its end | source) for every hypothesis, with its segment in `segment_of`; (h,)."""
        froms, tos = numbered(sources, self.source_words), numbered(hypotheses, self.target_words)
        order = np.lexsort((sources.lengths[segment_of], hypotheses.lengths))
        out = np.zeros(len(tos))
        for begin in range(0, len(order), ROWS_AT_ONCE):
            check_deadline()
            rows = order[begin : begin + ROWS_AT_ONCE]
            out[rows] = self._log_probs([froms[segment_of[h]] for h in rows], [tos[h] for h in rows])
        return out

    def _log_probs(self, sources: list[list[int]], targets: list[list[int]]) -> Float64s:
        batch = pack(sources, targets)
        log_probs = log_probs_of(self.weights, forward(self.weights, batch).hidden, batch.next_words)
        return np.bincount(batch.rows // batch.target_mask.shape[1], log_probs, len(targets)).astype(np.float64)

    def save(self, path: Path) -> None:
        """Write words, weights and card; equal models give equal bytes."""
        write_arrays(path, KIND, {**self.weights, SIDES[0]: self.source_words, SIDES[1]: self.target_words}, self.card)

    @classmethod
    def load(cls, path: Path) -> "TranslationModel":
        """Read a file of `save`; InputError for any other or damaged file."""
        arrays, card = read_arrays(path, KIND, "translation model")
        is_complete = all(name in arrays and arrays[name].ndim == size for name, size in SHAPES.items())
        if not is_complete or not all(side in arrays for side in SIDES):
            raise InputError("invalid-table", f"{path.name} is not a translation model", (str(path),))
        model = cls(arrays.pop(SIDES[0]), arrays.pop(SIDES[1]), arrays, card)
        sizes = len(model.source_words), len(model.target_words)
        if (len(arrays["source"]) - SPECIAL, len(arrays["target"]) - SPECIAL) != sizes:
            raise InputError("invalid-table", f"{path.name} is damaged: words and weights differ in number", (str(path),))
        return model


def numbered(column: TokenColumn, words: UInt64s) -> Sequence[list[int]]:
    """Return the tokens of each segment as numbers of `words`."""
    numbers = numbers_of(column, words).tolist()
    return [numbers[begin : min(end, begin + LONGEST)] for begin, end in pairwise(column.offsets.tolist())]
