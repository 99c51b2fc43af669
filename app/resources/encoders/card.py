"""What is shown of an encoder."""

from dataclasses import dataclass

from app.resources.encoders.encoder import Encoder

__all__ = ["EncoderCard"]


@dataclass(frozen=True)
class EncoderCard:
    """Name, SHA-256 and bytes of the weights, sizes, languages (empty where nothing is said of them) and licence of an encoder."""

    name: str
    description: str
    licence: str
    sha256: str
    bytes: int
    dimensions: int
    longest: int
    languages: tuple[str, ...]

    @classmethod
    def of(cls, encoder: Encoder, description: str, licence: str, size: int) -> "EncoderCard":
        """The card of an encoder."""
        return cls(
            encoder.name,
            description,
            licence,
            encoder.checksum,
            size,
            encoder.dimensions,
            encoder.longest,
            tuple(sorted(encoder.languages)),
        )
