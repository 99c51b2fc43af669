"""An encoder of tests, to which every word has a vector of its own, and a judge that believes alignments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from app.arrays import Bools, Float32s, Float64s
from app.features.encoded import NUMBERS, READ, EncodedSides, aligned_numbers
from app.resources.encoders import EncodedTokens
from app.text import LanguagePair

__all__ = ["AlignmentJudge", "HashedWords"]


@dataclass(frozen=True)
class HashedWords:
    """Words between blanks are tokens; equal words have equal vectors."""

    name: str = "hashed"
    checksum: str = "0" * 64
    dimensions: int = 8
    longest: int = 512
    languages: frozenset[str] = frozenset()

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
