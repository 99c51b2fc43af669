"""Continuous-space language model: the vectors of a window of words predict the next word (Bengio et al. 2003; Schwenk 2007)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s, UInt64s
from app.building.carded_arrays import read_arrays, write_arrays
from app.errors import InputError
from app.running.deadline import check_deadline
from app.smt.lists.reranking.neural.network import EDGE, SPECIAL, UNKNOWN, Floats, Gradients, log_probs_of, numbers_of
from app.text.batch import TokenColumn

__all__ = ["ContinuousSpaceModel", "hidden_of", "slopes_of", "windows_of"]

# Windows per block of predictions: 40 MB with 20,000 words.
ROWS_AT_ONCE: Final = 512
KIND: Final = "continuous-space-model"
WORDS: Final = "words"
SHAPES: Final = {"input": 2, "hidden": 2, "hidden0": 1, "output": 2, "output0": 1}


@dataclass(frozen=True, eq=False)
class ContinuousSpaceModel:
    """A continuous-space language model; `words` are hashes in ascending order, numbered from 3 on.

    `weights` are `input` (V, D), `hidden` (H, D times history), `hidden0` (H,), `output` (V, H) and `output0` (V,). `card` has the
    origin of the model.
    """

    words: UInt64s
    weights: Mapping[str, Floats]
    card: Mapping[str, Any] = field(default_factory=dict)

    @property
    def history(self) -> int:
        """Number of words in a window."""
        return int(self.weights["hidden"].shape[1] // self.weights["input"].shape[1])

    def log_probs(self, column: TokenColumn) -> tuple[Float64s, Bools]:
        """Return log10 p(word | window), and True for known words; both (tokens + n,), a segment's end after its words."""
        numbers = numbers_of(column, self.words)
        windows = windows_of(numbers, column.offsets, self.history)
        # N-best lists repeat windows: each is computed once.
        distinct, place = np.unique(windows, axis=0, return_inverse=True)
        out = np.zeros(len(distinct))
        for begin in range(0, len(distinct), ROWS_AT_ONCE):
            check_deadline()
            rows = distinct[begin : begin + ROWS_AT_ONCE]
            out[begin : begin + ROWS_AT_ONCE] = log_probs_of(self.weights, hidden_of(self.weights, rows)[0], rows[:, -1])
        return out[place.reshape(-1)] / np.log(10), windows[:, -1] != UNKNOWN

    def save(self, path: Path) -> None:
        """Write words, weights and card; equal models give equal bytes."""
        write_arrays(path, KIND, {**self.weights, WORDS: self.words}, self.card)

    @classmethod
    def load(cls, path: Path) -> "ContinuousSpaceModel":
        """Read a file of `save`; InputError for any other or damaged file."""
        arrays, card = read_arrays(path, KIND, "continuous-space language model")
        if WORDS not in arrays or not all(name in arrays and arrays[name].ndim == size for name, size in SHAPES.items()):
            raise InputError("invalid-table", f"{path.name} is not a continuous-space language model", (str(path),))
        words = arrays.pop(WORDS)
        (word_count, width), (size, window_width) = arrays["input"].shape, arrays["hidden"].shape
        fit = (word_count == len(words) + SPECIAL, width and window_width % width == 0, arrays["hidden0"].shape == (size,))
        if not all(fit) or arrays["output"].shape != (word_count, size) or arrays["output0"].shape != (word_count,):
            raise InputError("invalid-table", f"{path.name} is damaged: words and weights differ in number", (str(path),))
        return cls(words, arrays, card)


def windows_of(numbers: Int64s, offsets: Int64s, history: int) -> Int64s:
    """Return each word and segment end with its window before it, padded by 0; (tokens + n, history + 1)."""
    segments = np.arange(len(offsets) - 1)
    ends = offsets[1:] + segments
    flat = np.insert(numbers, offsets[1:], EDGE)
    begins = np.concatenate([[0], ends + 1])[:-1]
    inside = np.arange(len(flat)) - np.repeat(begins, np.diff(offsets) + 1)
    windows = np.zeros((len(flat), history + 1), np.int64)
    windows[:, -1] = flat
    for back in range(1, history + 1):
        places = np.flatnonzero(inside >= back)
        windows[places, history - back] = flat[places - back]
    return windows


def slopes_of(weights: Mapping[str, Floats], windows: Int64s, hidden_slopes: Floats, mask: Floats | None = None) -> Gradients:
    """Return derivatives of all weights but the output's, from those of hidden values (m, H) and the dropout mask (m, H)."""
    hidden, inputs = hidden_of(weights, windows)
    slope = hidden_slopes * (1 - hidden * hidden) if mask is None else hidden_slopes * mask * (1 - hidden * hidden)
    input_slopes = slope @ weights["hidden"]
    rows, place = np.unique(windows[:, :-1], return_inverse=True)
    sums = np.zeros((len(rows), weights["input"].shape[1]), input_slopes.dtype)
    np.add.at(sums, place.reshape(-1), input_slopes.reshape(-1, weights["input"].shape[1]))
    return {"input": (rows, sums), "hidden": slope.T @ inputs, "hidden0": slope.sum(0)}


def hidden_of(weights: Mapping[str, Floats], windows: Int64s) -> tuple[Floats, Floats]:
    """Return hidden values (m, H) of windows, and the vectors of their words before the last (m, D times history)."""
    inputs = weights["input"][windows[:, :-1]].reshape(len(windows), -1)
    return np.tanh(inputs @ weights["hidden"].T + weights["hidden0"]), inputs
