"""Cards of encoders: their public description."""

from dataclasses import dataclass

from app.resources.encoders.encoder import Encoder

__all__ = ["EncoderCard"]


@dataclass(frozen=True)
class EncoderCard:
    """Name, description, licence, SHA-256 and bytes of the weights, sizes, and languages (empty if unknown) of an encoder."""

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
        """The card of an encoder whose weights have `size` bytes."""
        return cls(
            encoder.name,
            description,
            licence,
            encoder.checksum,
            size,
            encoder.table.dimensions,
            encoder.longest,
            tuple(sorted(encoder.languages)),
        )
