"""What the network of the judge learns from: token vectors of both texts, kept in files, and which tokens are of wrong words.

Words are tagged by the data; a token of the encoder is wrong where it is a part of a word that is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s
from app.predictors.sentences.revision import words_of_pieces
from app.resources.encoders import EncodedTokens, Encoder
from app.text.reading.tables import read_column
from scripts.mlqe_pe.everything import Split

__all__ = ["ReadSide", "ReadingRows", "tagged_pieces", "tokens_of"]

# Which files tag the words of a side, and where its tags lie among those of words and gaps.
SIDES: Final = {"source": ("tok.src.gz", "src.tags.gz"), "translation": ("tok.mt.gz", "mt.tags.gz")}
AT_ONCE: Final = 500
UNKNOWN: Final = -1


@dataclass(frozen=True)
class ReadSide:
    """Token vectors (tokens, d) in half precision, where each text's begin, and 1 where wrong, 0 where right, -1 where unknown."""

    vectors: np.ndarray
    offsets: Int64s
    wrong: np.ndarray

    def tokens(self) -> EncodedTokens:
        """The same as an encoder says it, without pieces and spans."""
        count = len(self.vectors)
        return EncodedTokens(np.asarray(self.vectors, np.float32), self.offsets, ("",) * count, np.zeros((count, 2), np.int64))

    def length(self, row: int) -> int:
        """Tokens of a text."""
        return int(self.offsets[row + 1] - self.offsets[row])


@dataclass(frozen=True)
class ReadingRows:
    """Rows of a pair: both sides, what the judge's kernel sees of them, labels (n, l) and the number of the pair."""

    source: ReadSide
    target: ReadSide
    numbers: Float32s
    sentences: Float32s
    labels: Float64s
    pair: int

    def __len__(self) -> int:
        return len(self.labels)


def tokens_of(encoder: Encoder, folder: Path, split: Split, column: str) -> ReadSide:
    """The tokens of a column of a file: read from the folder where they are, else encoded and kept there."""
    stem = f"{split.pair}.{split.path.name.removesuffix('.tsv.gz')}.{column}"
    vectors, rest = folder / f"{stem}.tokens.npy", folder / f"{stem}.tags.npz"
    if not rest.is_file():
        texts = split.column(column)
        parts = [_encoded(encoder, texts[begin : begin + AT_ONCE]) for begin in range(0, len(texts), AT_ONCE)]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        np.save(vectors, np.concatenate([part.vectors.astype(np.float16) for part in parts]))
        words, tags = (read_column(str(split.path.with_name(split.path.name.replace("tsv.gz", name)))) for name in SIDES[column])
        np.savez(rest, offsets=offsets, wrong=tagged_pieces([p for part in parts for p in part.pieces], offsets, words, tags))
    with np.load(rest) as kept:
        return ReadSide(np.load(vectors, mmap_mode="r"), kept["offsets"], kept["wrong"])


def _encoded(encoder: Encoder, texts: Sequence[str]) -> EncodedTokens:
    tokens = encoder.encode_tokens(texts)
    if tokens is None:
        raise ValueError(f"the encoder {encoder.name} has no vectors of tokens")
    return tokens


def tagged_pieces(pieces: Sequence[str], offsets: Int64s, words: Sequence[str], tags: Sequence[str]) -> np.ndarray:
    """1 for pieces of wrong words, 0 for those of right ones, -1 where no word has the piece; (tokens,) of int8.

    `words` and `tags` are lines of tokens apart by spaces; tags of words and gaps in turn are as many as words twice and one.
    """
    out = np.full(len(pieces), UNKNOWN, np.int8)
    for row, (line, tagged) in enumerate(zip(words, tags, strict=True)):
        of_words, spelt = tagged.split(), line.split()
        wrong = [tag == "BAD" for tag in (of_words[1::2] if len(of_words) == 2 * len(spelt) + 1 else of_words)]
        begin, end = offsets[row], offsets[row + 1]
        for k, of_piece in enumerate(words_of_pieces(pieces[begin:end], spelt), begin):
            if of_piece:
                out[k] = any(wrong[word] for word in of_piece)
    return out
