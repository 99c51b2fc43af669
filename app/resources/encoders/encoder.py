"""An encoder: the pieces of its tokeniser and their vectors, which networks read."""

from dataclasses import dataclass, field
from typing import Protocol

from app.arrays import Float32s, Int32s, Int64s
from app.running.spreading import Spreading

__all__ = ["Encoder", "PieceTable", "Pieces"]


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
class Encoder:
    """Pieces and vectors that a cross-encoder reads, for any number of threads.

    `checksum` is the SHA-256 of the weights in hexadecimal digits. A text has at most `longest` pieces; the rest is cut.
    `languages` are ISO 639-1 (or else 639-3) codes of the languages of training, empty if unknown. `spreading` reads pairs on
    several threads.
    """

    name: str
    checksum: str
    longest: int
    languages: frozenset[str]
    table: PieceTable
    spreading: Spreading = field(default_factory=Spreading)
