"""A unigram tokeniser: texts become ids of the pieces of a vocabulary (Kudo 2018; SentencePiece)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s, UInt32s
from app.resources.pieces.unigram_kernels import MARK, best_pieces, normalised, table_of_pieces
from app.resources.pieces.vocabulary import PieceVocabulary
from app.text.packed_texts import PackedTexts

__all__ = ["Pieces", "Unigram"]

# Prefix of every text: the model was trained with it, on both sides for symmetric tasks.
PREFIX: Final = "query: "
# SentencePiece's penalty of unknown characters, below the score of the least probable piece.
PENALTY: Final = np.float32(10.0)


@dataclass(frozen=True)
class Pieces:
    """Ids of a text with `<s>`, prefix and `</s>`; `spans` (tokens, 2) of the `inner` tokens in it; `cut` is True if it was cut."""

    ids: Int32s
    inner: slice
    spans: Int64s
    cut: bool


class Unigram:
    """The tokeniser of a vocabulary; names of control pieces in a text, such as ``</s>``, are characters to it."""

    def __init__(self, vocabulary: PieceVocabulary) -> None:
        self._vocabulary = vocabulary
        self.pieces: Final = PackedTexts(vocabulary.blob, vocabulary.offsets)
        self._codes, self._offsets = _code_points_of(self.pieces)
        self._longest_piece = int(np.diff(self._offsets).max())
        # Control pieces such as </s> have the score 0. As in SentencePiece, no text matches them.
        self._table = table_of_pieces(self._codes, self._offsets, np.flatnonzero(vocabulary.scores < 0))
        self._unknown_score = np.float32(vocabulary.scores.min() - PENALTY)

    def pieces_of(self, text: str, longest: int) -> Pieces:
        """Ids of a text, at most `longest` with the signs around it. O(length)."""
        vocabulary = self._vocabulary
        room = longest - 2
        # NUL is a control character without an entry in the table; SentencePiece ends texts there.
        characters = _code_points(PREFIX + text.replace("\0", ""))
        line, origins, cut = normalised(
            characters,
            vocabulary.characters,
            vocabulary.replacements,
            vocabulary.replacement_offsets,
            (room + 1) * self._longest_piece,
        )
        ids, starts = best_pieces(
            line,
            self._table,
            self._codes,
            self._offsets,
            vocabulary.scores,
            self._longest_piece,
            vocabulary.unknown,
            self._unknown_score,
        )
        cut = bool(cut) or len(ids) > room
        ends = np.append(starts[1:], len(line))[:room]
        ids, starts = ids[:room], starts[:room]
        # A piece's mark is the space before its word.
        begins = np.where((line[starts] == MARK) & (ends > starts + 1), starts + 1, starts)
        spans = np.stack([origins[begins], origins[ends - 1] + 1], axis=1) - len(PREFIX)
        first = int((spans[:, 1] <= 0).sum())
        all_ids = np.concatenate([[vocabulary.bos], ids, [vocabulary.eos]]).astype(np.int32)
        return Pieces(all_ids, slice(1 + first, 1 + len(ids)), self._original_spans(spans[first:].clip(0), text), cut)

    @staticmethod
    def _original_spans(spans: Int64s, text: str) -> Int64s:
        """Spans in the original text, which may contain NULs."""
        if "\0" not in text:
            return spans
        positions = np.array([place for place, character in enumerate(text) if character != "\0"], np.int64)
        return np.stack([positions[spans[:, 0]], positions[spans[:, 1] - 1] + 1], axis=1) if len(positions) else spans


def _code_points_of(pieces: PackedTexts) -> tuple[UInt32s, Int64s]:
    """Code points of all pieces, and the offsets of each piece in them. ValueError for a piece that is no UTF-8."""
    # Of a character in UTF-8, only the first byte is outside of 0x80 to 0xBF.
    firsts = (pieces.data & 0xC0) != 0x80
    begins = pieces.offsets[:-1][np.diff(pieces.offsets) > 0]
    if not firsts[begins].all():
        raise ValueError("a piece begins within a character")
    codes = np.frombuffer(pieces.data.tobytes().decode("utf-8").encode("utf-32-le"), np.uint32)
    return codes, np.concatenate([[0], np.cumsum(firsts)])[pieces.offsets].astype(np.int64)


def _code_points(text: str) -> UInt32s:
    """Code points of a text; halves of surrogate pairs become U+FFFD."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.where((codes >= 0xD800) & (codes < 0xE000), np.uint32(0xFFFD), codes)
