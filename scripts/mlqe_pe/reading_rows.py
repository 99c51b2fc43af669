"""Training rows of the judge's network: token vectors of both texts, stored in files, and tags of wrong tokens.

The data has tags of words; a token of the encoder is wrong if it is part of a wrong word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s
from app.errors import InputError
from app.predictors.cross_encoder.revision import words_of_pieces
from app.resources.encoders import EncodedTokens, Encoder
from app.text.reading.tables import read_column
from scripts.mlqe_pe.everything import Split

__all__ = ["ReadSide", "ReadingRows", "encode_tokens", "tagged_pieces", "tokens_of"]

# Files of the words and of the tags of a side.
SIDES: Final = {"source": ("tok.src.gz", "src.tags.gz"), "translation": ("tok.mt.gz", "mt.tags.gz")}
BATCH_SIZE: Final = 500
UNKNOWN: Final = -1


@dataclass(frozen=True)
class ReadSide:
    """Token vectors (tokens, d) in half precision, offsets (n + 1,) of texts, and tags: 1 is wrong, 0 right, -1 unknown."""

    vectors: np.ndarray
    offsets: Int64s
    wrong: np.ndarray

    def tokens(self) -> EncodedTokens:
        """The tokens in the form of an encoder's result, without pieces and spans."""
        count = len(self.vectors)
        return EncodedTokens(np.asarray(self.vectors, np.float32), self.offsets, ("",) * count, np.zeros((count, 2), np.int64))

    def length(self, row: int) -> int:
        """Number of tokens of a text."""
        return int(self.offsets[row + 1] - self.offsets[row])


@dataclass(frozen=True)
class ReadingRows:
    """Rows of a pair: both sides, inputs of the judge's kernel, labels (n, l) and the number of the pair."""

    source: ReadSide
    target: ReadSide
    numbers: Float32s
    sentences: Float32s
    labels: Float64s
    pair: int

    def __len__(self) -> int:
        return len(self.labels)


def tokens_of(encoder: Encoder, folder: Path, split: Split, column: str) -> ReadSide:
    """Tokens of a column of a file, from the folder if it has them, else encoded and stored there."""
    stem = f"{split.pair}.{split.path.name.removesuffix('.tsv.gz')}.{column}"
    vectors, rest = folder / f"{stem}.tokens.npy", folder / f"{stem}.tags.npz"
    if not rest.is_file():
        texts = split.column(column)
        parts = [encode_tokens(encoder, texts[begin : begin + BATCH_SIZE]) for begin in range(0, len(texts), BATCH_SIZE)]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        np.save(vectors, np.concatenate([part.vectors.astype(np.float16) for part in parts]))
        words, tags = (read_column(str(split.path.with_name(split.path.name.replace("tsv.gz", name)))) for name in SIDES[column])
        np.savez(rest, offsets=offsets, wrong=tagged_pieces([p for part in parts for p in part.pieces], offsets, words, tags))
    with np.load(rest) as arrays:
        return ReadSide(np.load(vectors, mmap_mode="r"), arrays["offsets"], arrays["wrong"])


def encode_tokens(encoder: Encoder, texts: Sequence[str]) -> EncodedTokens:
    """Tokens of texts; InputError (`missing-resource`) if the encoder has no vectors of tokens."""
    tokens = encoder.encode_tokens(texts)
    if tokens is None:
        raise InputError("missing-resource", f"the encoder {encoder.name} has no vectors of tokens")
    return tokens


def tagged_pieces(pieces: Sequence[str], offsets: Int64s, words: Sequence[str], tags: Sequence[str]) -> np.ndarray:
    """Tags of pieces: 1 in a wrong word, 0 in a right word, -1 outside words; int8, shape (tokens,).

    `words` and `tags` are lines separated by spaces. A line of n words has n tags, or 2n + 1 tags of gaps and words in turn.
    """
    piece_tags = np.full(len(pieces), UNKNOWN, np.int8)
    for row, (line, tag_line) in enumerate(zip(words, tags, strict=True)):
        word_tags, word_list = tag_line.split(), line.split()
        wrong = [tag == "BAD" for tag in (word_tags[1::2] if len(word_tags) == 2 * len(word_list) + 1 else word_tags)]
        begin, end = offsets[row], offsets[row + 1]
        for k, piece_words in enumerate(words_of_pieces(pieces[begin:end], word_list), begin):
            if piece_words:
                piece_tags[k] = any(wrong[word] for word in piece_words)
    return piece_tags
