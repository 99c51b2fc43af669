"""Interface of encoders of sentences: unit vectors of texts, and optionally vectors of their tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from app.arrays import Bools, Float32s, Int32s, Int64s

__all__ = ["EncodedTokens", "Encoder", "PieceTable", "Pieces"]


@dataclass(frozen=True)
class Pieces:
    """Ids of a text with `<s>`, prefix and `</s>`; `spans` (tokens, 2) of the `inner` tokens in it; `cut` is True if it was cut."""

    ids: Int32s
    inner: slice
    spans: Int64s
    cut: bool


class PieceTable(Protocol):
    """Tokeniser of an encoder, and the vectors of its pieces before the first layer."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """The vocabulary in the tokeniser's form ("▁" is a space)."""

    @property
    def dimensions(self) -> int:
        """Length d of a vector."""

    def pieces_of(self, text: str) -> Pieces:
        """Ids of a text. O(length)."""

    def vectors(self, ids: Int32s) -> Float32s:
        """Vectors of ids; shape (n, d)."""


@dataclass(frozen=True)
class EncodedTokens:
    """Vectors of the tokens of n texts in a row; the tokens of text i are ``offsets[i]:offsets[i + 1]``.

    `vectors` (tokens, d) are those of the last layer, not normalised. `pieces` are the tokens in the tokeniser's form ("▁" is a
    space). Tokens that the encoder adds (`<s>`, a prefix, `</s>`) are left out. `spans` (tokens, 2) are the first character of a
    token in its text and the one past its last; (0, 0) if the token covers none.
    """

    vectors: Float32s
    offsets: Int64s
    pieces: tuple[str, ...]
    spans: Int64s

    def split(self, texts: int) -> tuple["EncodedTokens", "EncodedTokens"]:
        """Tokens of the first `texts` texts, and of the rest."""
        tokens = int(self.offsets[texts])
        first = EncodedTokens(self.vectors[:tokens], self.offsets[: texts + 1], self.pieces[:tokens], self.spans[:tokens])
        return first, EncodedTokens(self.vectors[tokens:], self.offsets[texts:] - tokens, self.pieces[tokens:], self.spans[tokens:])

    def single_texts(self) -> Iterator["EncodedTokens"]:
        """Tokens of each text, in copied arrays."""
        for begin, end in pairwise(self.offsets.tolist()):
            offsets = np.array([0, end - begin], np.int64)
            yield EncodedTokens(self.vectors[begin:end].copy(), offsets, self.pieces[begin:end], self.spans[begin:end].copy())

    @classmethod
    def joined(cls, parts: Sequence["EncodedTokens"], dimensions: int) -> "EncodedTokens":
        """Tokens of the texts of all parts, in order."""
        lengths = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])
        return cls(
            np.concatenate([np.empty((0, dimensions), np.float32), *(part.vectors for part in parts)]),
            np.cumsum(lengths).astype(np.int64),
            tuple(piece for part in parts for piece in part.pieces),
            np.concatenate([np.empty((0, 2), np.int64), *(part.spans for part in parts)]),
        )


class Encoder(Protocol):
    """A model of sentences for any number of threads.

    Equal texts always have equal vectors, whatever texts they are encoded with.
    """

    @property
    def name(self) -> str:
        """Name in cards, answers and errors; encoders with different vectors have different names."""

    @property
    def checksum(self) -> str:
        """SHA-256 of the weights, in hexadecimal digits."""

    @property
    def dimensions(self) -> int:
        """Length d of a vector."""

    @property
    def longest(self) -> int:
        """Limit on the tokens of a text; the rest is cut."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 (or else 639-3) codes of the languages of training; empty if unknown."""

    @property
    def table(self) -> PieceTable | None:
        """Tokeniser and vectors of pieces, for networks on top of them; None if the encoder gives none."""

    def encode(self, texts: Sequence[str]) -> Float32s:
        """Unit vector of each text; shape (n, d). InputError only if the deadline has passed."""

    def cut(self, texts: Sequence[str]) -> Bools:
        """Mask of the texts with more tokens than the limit; shape (n,)."""

    def begin(self, texts: Sequence[str]) -> None:
        """Announce that the token vectors of these texts are needed soon."""

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens | None:
        """Vectors of the tokens of each text; None if the encoder gives none."""
