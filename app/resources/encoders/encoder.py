"""What every encoder of sentences does: texts in, unit vectors out, and vectors of their tokens where it can."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from app.arrays import Bools, Float32s, Int64s

__all__ = ["EncodedTokens", "Encoder"]


@dataclass(frozen=True)
class EncodedTokens:
    """Vectors of the tokens of n texts, one text after the other.

    `vectors` (tokens, d) are the last layer's, not normalised, and `pieces` what each token stands for, as the tokeniser writes it
    ("▁" is a space); what the encoder puts around a text (`<s>`, a prefix, `</s>`) is left out. Those of text i are
    ``offsets[i]:offsets[i + 1]``. `spans` (tokens, 2) are the characters of the text that a token covers, first and one past the
    last, and (0, 0) where it covers none.
    """

    vectors: Float32s
    offsets: Int64s
    pieces: tuple[str, ...]
    spans: Int64s

    def split(self, texts: int) -> tuple["EncodedTokens", "EncodedTokens"]:
        """The first so many texts, and the others."""
        tokens = int(self.offsets[texts])
        first = EncodedTokens(self.vectors[:tokens], self.offsets[: texts + 1], self.pieces[:tokens], self.spans[:tokens])
        return first, EncodedTokens(self.vectors[tokens:], self.offsets[texts:] - tokens, self.pieces[tokens:], self.spans[tokens:])

    def single_texts(self) -> Iterator["EncodedTokens"]:
        """Each text alone, in arrays of its own."""
        for begin, end in pairwise(self.offsets.tolist()):
            offsets = np.array([0, end - begin], np.int64)
            yield EncodedTokens(self.vectors[begin:end].copy(), offsets, self.pieces[begin:end], self.spans[begin:end].copy())

    @classmethod
    def joined(cls, parts: Sequence["EncodedTokens"], dimensions: int) -> "EncodedTokens":
        """The texts of all parts, one after the other."""
        lengths = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])
        return cls(
            np.concatenate([np.empty((0, dimensions), np.float32), *(part.vectors for part in parts)]),
            np.cumsum(lengths).astype(np.int64),
            tuple(piece for part in parts for piece in part.pieces),
            np.concatenate([np.empty((0, 2), np.int64), *(part.spans for part in parts)]),
        )


class Encoder(Protocol):
    """A model of sentences, loaded once, read by any number of threads.

    The vector of a text does not depend on the texts that are encoded with it, and is the same whenever it is asked for.
    """

    @property
    def name(self) -> str:
        """What cards, answers and errors call it; another name is other vectors."""

    @property
    def checksum(self) -> str:
        """SHA-256 of its weights, in hexadecimal digits."""

    @property
    def dimensions(self) -> int:
        """Length d of a vector."""

    @property
    def longest(self) -> int:
        """Most tokens of a text that are looked at; the rest is cut."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 (or else 639-3) codes of what it was trained on; empty where nothing is said of it."""

    def encode(self, texts: Sequence[str]) -> Float32s:
        """The vector of each text, of length 1; shape (n, d). InputError only where nobody waits any more."""

    def cut(self, texts: Sequence[str]) -> Bools:
        """Whether a text is longer than what is looked at; shape (n,)."""

    def begin(self, texts: Sequence[str]) -> None:
        """Say that the vectors of tokens of these texts will be asked for soon, so that they can be made meanwhile."""

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens | None:
        """The vectors of the tokens of each text, or None where this encoder has none to show."""
