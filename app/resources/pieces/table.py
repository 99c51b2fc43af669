"""The file of a table of pieces: a vocabulary, and vectors of pieces in few bits.

Vectors of frequent pieces have 4 bits a number: blocks of 32 numbers with one scale. A vector of another piece is a mean vector
and a sum of its parts times a scale. One byte chooses each part from 256 centres (product quantisation; Jégou et al. 2011).
`places` has the row of each piece, frequent ones first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from app.arrays import Float32s, Int32s, UInt8s
from app.resources.pieces.unigram import Pieces, Unigram
from app.resources.pieces.vocabulary import PieceVocabulary

__all__ = ["PieceTable", "block_vectors", "read_pieces", "tensors_of"]

BLOCK: Final = 32
BLOCK_BYTES: Final = 18
# Numbers of a vector that a byte chooses, and its number of choices.
PART, CENTRES = 4, 256
VOCABULARY: Final = ("blob", "scores", "characters", "replacements")
OFFSETS: Final = ("offsets", "replacement_offsets")
SIGNS: Final = ("bos", "eos", "unknown")


@dataclass(frozen=True)
class PieceTable:
    """A vocabulary of v pieces, and their vectors of d numbers: f rows of blocks, and v - f rows of chosen centres.

    `blocks` (f, d / 32, 18), `centres` (d / 4, 256, 4), `choices` (v - f, d / 4), `scales` (v - f,), `mean` (d,), `places` (v,).
    ValueError for members that do not fit together.
    """

    vocabulary: PieceVocabulary
    places: Int32s
    blocks: UInt8s
    mean: Float32s
    centres: Float32s
    choices: UInt8s
    scales: Float32s

    def __post_init__(self) -> None:
        frequent, rare, parts, width = len(self.blocks), len(self.choices), len(self.centres), self.dimensions
        shapes = {
            "blocks": (frequent, width // BLOCK, BLOCK_BYTES),
            "centres": (parts, CENTRES, PART),
            "choices": (rare, parts),
            "scales": (rare,),
            "places": (len(self.vocabulary.scores),),
        }
        wrong = [name for name, shape in shapes.items() if getattr(self, name).shape != shape]
        if wrong or width % BLOCK or parts * PART != width:
            raise ValueError(f"{', '.join(wrong) or 'the vectors'} of the pieces have impossible sizes")
        if len(self.places) and not 0 <= self.places.min() <= self.places.max() < frequent + rare:
            raise ValueError("places of vectors of pieces are damaged")
        scales = np.ascontiguousarray(self.blocks[..., :2]).view(np.float16)
        if not all(np.isfinite(numbers).all() for numbers in (self.mean, self.centres, self.scales, scales)):
            raise ValueError("vectors of pieces have numbers that are not finite")

    @property
    def dimensions(self) -> int:
        """Length d of a vector."""
        return len(self.mean)

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces; "▁" is a space."""
        return self._tokeniser.pieces

    def pieces_of(self, text: str, longest: int) -> Pieces:
        """Ids of a text, at most `longest`. O(length)."""
        return self._tokeniser.pieces_of(text, longest)

    def vectors(self, ids: Int32s) -> Float32s:
        """Vectors of pieces; shape (n, d)."""
        places, frequent = self.places[ids], len(self.blocks)
        is_frequent = places < frequent
        out = np.empty((len(ids), self.dimensions), np.float32)
        out[is_frequent] = block_vectors(self.blocks[places[is_frequent]])
        rare = places[~is_frequent] - frequent
        parts = self.centres[np.arange(len(self.centres)), self.choices[rare]].reshape(len(rare), self.dimensions)
        out[~is_frequent] = self.mean + parts * self.scales[rare, None]
        return out

    @cached_property
    def _tokeniser(self) -> Unigram:
        return Unigram(self.vocabulary)


def block_vectors(rows: UInt8s) -> Float32s:
    """Floats (n, 32 * blocks) of rows of blocks (n, blocks, 18): a scale of 16 bits, then low and high halves of 16 bytes."""
    scales = np.ascontiguousarray(rows[..., :2]).view(np.float16).astype(np.float32)
    weights = np.concatenate([rows[..., 2:] & 15, rows[..., 2:] >> 4], axis=-1).astype(np.float32) - np.float32(8)
    return np.asarray((weights * scales).reshape(len(rows), -1))


def tensors_of(table: PieceTable) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays of the file of a table, by name."""
    vocabulary = table.vocabulary
    signs = np.array([getattr(vocabulary, name) for name in SIGNS], np.int32)
    vectors = {"places": table.places, "blocks": table.blocks, "mean": table.mean, "choices": table.choices}
    halves = {"centres": table.centres.astype(np.float16), "scales": table.scales.astype(np.float16)}
    ends = {name: getattr(vocabulary, name).astype(np.uint32) for name in OFFSETS}
    return {**{name: getattr(vocabulary, name) for name in VOCABULARY}, "signs": signs, **ends, **vectors, **halves}


# Log-probabilities of pieces are far smaller; sums of larger ones lose their digits.
SCORE_LIMIT: Final = 1e6


def read_pieces(path: Path) -> PieceTable:
    """Read a table of pieces; ValueError or OSError for a damaged file."""
    try:
        arrays = load_file(path)
    except SafetensorError:
        raise ValueError(f"{path.name} is damaged") from None
    kinds = {
        "blob": np.uint8, "offsets": np.uint32, "scores": np.float32, "characters": np.uint32, "replacements": np.uint32,
        "replacement_offsets": np.uint32, "signs": np.int32, "places": np.int32, "blocks": np.uint8, "mean": np.float32,
        "centres": np.float16, "choices": np.uint8, "scales": np.float16,
    }  # fmt: skip
    if {name: array.dtype.type for name, array in arrays.items()} != kinds or arrays["signs"].shape != (len(SIGNS),):
        raise ValueError(f"{path.name} has other arrays than {', '.join(kinds)}")
    if not (np.abs(arrays["scores"]) < SCORE_LIMIT).all():
        raise ValueError(f"{path.name} has scores that are no log-probabilities")
    signs = dict(zip(SIGNS, arrays["signs"].tolist(), strict=True))
    parts: dict[str, Any] = {name: arrays[name] for name in VOCABULARY}
    parts |= {name: arrays[name].astype(np.int64) for name in OFFSETS}
    vocabulary = PieceVocabulary(**parts, **signs)
    floats = {name: arrays[name].astype(np.float32) for name in ("centres", "scales")}
    return PieceTable(vocabulary, arrays["places"], arrays["blocks"], arrays["mean"], choices=arrays["choices"], **floats)
