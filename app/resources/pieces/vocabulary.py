"""Vocabulary of a unigram tokeniser: its pieces with their log-probabilities, and its replacements of characters."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float32s, Int64s, UInt8s, UInt32s

__all__ = ["PieceVocabulary"]

LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True)
class PieceVocabulary:
    """Pieces in UTF-8, ``blob[offsets[i]:offsets[i + 1]]``, with log-probabilities; replacements of characters (CSR).

    `bos`, `eos` and `unknown` are numbers of pieces. ValueError for members that do not fit together.
    """

    blob: UInt8s
    offsets: Int64s
    scores: Float32s
    bos: int
    eos: int
    unknown: int
    characters: UInt32s
    replacements: UInt32s
    replacement_offsets: Int64s

    def __post_init__(self) -> None:
        count = len(self.scores)
        if any(getattr(self, name).ndim != 1 for name in ("blob", "offsets", "scores", "characters", "replacements")):
            raise ValueError("the arrays of the vocabulary have one dimension")
        if not all(0 <= number < count for number in (self.bos, self.eos, self.unknown)) or not np.isfinite(self.scores).all():
            raise ValueError("the vocabulary is damaged")
        if not _divides(self.offsets, count, len(self.blob)):
            raise ValueError("the pieces of the vocabulary are damaged")
        codes = self.characters.astype(np.int64)
        are_replaced = _divides(self.replacement_offsets, len(codes), len(self.replacements)) and (np.diff(codes) > 0).all()
        if not are_replaced or (self.replacements > LAST_CODE_POINT).any():
            raise ValueError("the replacements of characters are damaged")


def _divides(offsets: Int64s, parts: int, size: int) -> bool:
    """True if offsets divide `size` items into `parts` parts."""
    return len(offsets) == parts + 1 and offsets[0] == 0 and offsets[-1] == size and bool((np.diff(offsets) >= 0).all())
