"""An encoder of tests, whose pieces are words, and a reader of pairs."""

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from app.arrays import Float32s, Int32s
from app.predictors.cross_encoder import CrossReading
from app.predictors.cross_encoder.relation import Relation
from app.resources.encoders import Encoder, Pieces, PieceTable
from app.running.spreading import Spreading
from app.text import LanguagePair

__all__ = ["HashedReader", "hashed_words"]


@dataclass(frozen=True)
class HashedPieces:
    """Words between blanks are pieces."""

    pieces: tuple[str, ...] = ()
    dimensions: int = 8

    def pieces_of(self, text: str) -> Pieces:
        ids = np.array([crc32(word.encode()) % 1000 for word in text.split()], np.int32)
        return Pieces(ids, slice(0, len(ids)), np.zeros((len(ids), 2), np.int64), cut=False)

    def vectors(self, ids: Int32s) -> Float32s:
        return np.zeros((len(ids), self.dimensions), np.float32)


@dataclass(frozen=True)
class HashedReader:
    """Probabilities follow from the words alone."""

    encoder: str = "hashed"
    relation: Relation = field(default_factory=Relation)

    def reading(self, pair: LanguagePair, table: PieceTable, source: str, translation: str) -> CrossReading:
        of_source, of_target = ((table.pieces_of(text).ids / 1000).astype(np.float32) for text in (source, translation))
        means = [float(side.mean()) if len(side) else 0.0 for side in (of_source, of_target)]
        labels = np.array([*means, len(of_source), len(of_target)], np.float64)
        target = np.stack([of_target**power for power in (1, 2, 3, 4)], axis=1)
        return CrossReading(labels, target, of_source, translation.split(), source.split(), is_cut=False)


def hashed_words(name: str = "hashed", languages: frozenset[str] = frozenset(), threads: int = 1) -> Encoder:
    """The encoder."""
    return Encoder(name, "0" * 64, 512, languages, HashedPieces(), Spreading(threads))
