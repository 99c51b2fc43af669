"""An encoder of tests, to which every word has a vector of its own, a judge that believes alignments, and a reader of pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from app.arrays import Bools, Float32s, Float64s, Int32s
from app.features.encoded import NUMBERS, READ, EncodedSides, aligned_numbers
from app.predictors.cross_encoder import CrossReading
from app.resources.encoders import EncodedTokens, Pieces, PieceTable
from app.text import LanguagePair

__all__ = ["AlignmentJudge", "HashedReader", "HashedWords"]


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
    relation: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def read(
        self, pair: LanguagePair, table: PieceTable, sources: Sequence[str], translations: Sequence[str]
    ) -> Iterator[CrossReading]:
        for source, translation in zip(sources, translations, strict=True):
            of_source, of_target = ((table.pieces_of(text).ids / 1000).astype(np.float32) for text in (source, translation))
            labels = np.array([of_source.mean(), of_target.mean(), len(of_source), len(of_target)], np.float64)
            target = np.stack([of_target**power for power in (1, 2, 3, 4)], axis=1)
            yield CrossReading(labels, target, of_source, translation.split(), source.split(), is_cut=False)


@dataclass(frozen=True)
class HashedWords:
    """Words between blanks are tokens; equal words have equal vectors."""

    name: str = "hashed"
    checksum: str = "0" * 64
    dimensions: int = 8
    longest: int = 512
    languages: frozenset[str] = frozenset()
    table: PieceTable | None = HashedPieces()

    def begin(self, texts: Sequence[str]) -> None:
        pass

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens:
        words = [text.split() for text in texts]
        rows = [np.random.default_rng(crc32(word.encode())).normal(size=self.dimensions) for text in words for word in text]
        offsets = np.concatenate([[0], np.cumsum([len(text) for text in words])]).astype(np.int64)
        pieces = tuple(word for text in words for word in text)
        vectors = np.array(rows, np.float32).reshape(-1, self.dimensions)
        return EncodedTokens(vectors, offsets, pieces, np.zeros((len(pieces), 2), np.int64))

    def encode(self, texts: Sequence[str]) -> Float32s:
        tokens = self.encode_tokens(texts)
        return EncodedSides(tokens, tokens).sentences()[0]

    def cut(self, texts: Sequence[str]) -> Bools:
        return np.zeros(len(texts), bool)


@dataclass(frozen=True)
class AlignmentJudge:
    """Calls good what aligns."""

    encoder: str = "hashed"

    def judge(self, pair: LanguagePair, sides: EncodedSides) -> Mapping[str, Float64s]:
        numbers = aligned_numbers(sides, np.zeros(sides.source.vectors.shape[1], np.float32))
        columns = {name: numbers[:, k] for k, (name, _) in enumerate(NUMBERS)}
        judged = {"da": columns["source.mean"], "hter": -columns["target.mean"]}
        return {**columns, **judged, **{name: columns["cosine"] for name, _ in READ}}
