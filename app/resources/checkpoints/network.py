"""The encoder of a checkpoint: tables of tokens, positions and kinds, and a graph that onnxruntime runs on one core."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.arrays import Float32s, Int64s
from app.resources.checkpoints.card import CheckpointCard

__all__ = ["Network", "relative_buckets"]


class Network:
    """Tokens to vectors. The graph begins behind the tables, so the large table of words is read row by row."""

    def __init__(self, card: CheckpointCard, words: Float32s, arrays: Mapping[str, Float32s], encoder: Any, decoder: Any) -> None:
        """ValueError where tables, graph and card do not fit."""
        self._card: Final = card
        self._words: Final = words
        self._positions = arrays.get("places")
        self._kinds = arrays.get("kinds")
        self._encoder, self._decoder = encoder, decoder
        inputs = {"embedded"} | ({"buckets"} if card.buckets else set())
        if {value.name for value in encoder.get_inputs()} != inputs:
            raise ValueError(f"encoder.onnx lacks the inputs {', '.join(sorted(inputs))}")
        width = words.shape[1]
        for name, table in (("places", self._positions), ("kinds", self._kinds)):
            if table is not None and (table.ndim != 2 or table.shape[1] != width):
                raise ValueError(f"the table of {name} does not fit that of words")
        if self._positions is not None and len(self._positions) < max(card.first_place + card.longest, card.pad + 1):
            raise ValueError(f"the table of places has {len(self._positions)} rows for sequences of {card.longest} tokens")
        if self._kinds is not None and len(self._kinds) < 1 + card.two_kinds:
            raise ValueError("the table of kinds has fewer rows than the card's kinds of tokens")
        if max(card.begin, card.end) >= len(words):
            raise ValueError("begin or end is beyond the table of words")

    def vectors(self, tokens: Sequence[int], kinds: Sequence[int]) -> Float32s:
        """The vector of each token by the checkpoint's mix of layers; shape (n, d), one row with a decoder."""
        ids: Int64s = np.array(tokens, np.int64)
        if len(ids) and int(ids.max()) >= len(self._words):
            raise ValueError("a token is beyond the table of words: the tokeniser is of another model")
        embedded = np.asarray(self._words[ids], np.float32)
        if self._kinds is not None:
            embedded = embedded + self._kinds[np.array(kinds, np.int64)]
        if self._positions is not None:
            embedded = embedded + self._positions[self._positions_of(ids)]
        inputs: dict[str, Any] = {"embedded": embedded[None]}
        if self._card.buckets:
            inputs["buckets"] = relative_buckets(len(ids), self._card.buckets, self._card.farthest)
        output = self._encoder.run(None, inputs)[0]
        if self._decoder is not None:
            output = self._decoder.run(None, {"encoded": output})[0]
        result: Float32s = np.asarray(output[0], np.float32)
        if result.ndim != 2 or result.shape[1] != self._card.dimensions:
            raise ValueError(f"the graph's vectors are not of the card's length {self._card.dimensions}")
        return result

    def _positions_of(self, ids: Int64s) -> Int64s:
        if not self._card.padding_has_no_place:
            return np.arange(self._card.first_place, self._card.first_place + len(ids))
        counted = ids != self._card.pad
        return np.where(counted, np.cumsum(counted) + self._card.first_place - 1, self._card.pad)

    def pooled(self, tokens: Sequence[int], kinds: Sequence[int]) -> Float32s:
        """The vector of a sequence by the checkpoint's pooling; shape (d,)."""
        vectors = self.vectors(tokens, kinds)
        if self._card.pooling == "cls":
            return vectors[0]
        mask = np.array(tokens, np.int64) != self._card.pad
        if self._card.pooling == "max":
            highest: Float32s = vectors[mask].max(axis=0)
            return highest
        # As in COMET, padding in the text adds nothing and is counted.
        total: Float32s = vectors[mask].sum(axis=0, dtype=np.float32)
        return np.asarray(total / np.float32(len(tokens)), np.float32)


def relative_buckets(length: int, buckets: int, farthest: int) -> Int64s:
    """T5's bucket of the distance from each token (rows) to each (columns), in both directions; shape (n, n)."""
    half = buckets // 2
    distance = np.arange(length)[None, :] - np.arange(length)[:, None]
    size = np.abs(distance)
    exact = half // 2
    with np.errstate(divide="ignore"):
        # T5 computes in 32 bits.
        steps = (
            np.log(size.astype(np.float32) / np.float32(exact)) / np.float32(np.log(farthest / exact)) * np.float32(half - exact)
        )
    far = np.minimum(exact + np.nan_to_num(steps, neginf=0.0).astype(np.int64), half - 1)
    return np.where(distance > 0, half, 0) + np.where(size < exact, size, far)
