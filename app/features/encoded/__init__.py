"""What vectors of a multilingual encoder say of two texts, whatever their languages."""

from app.features.encoded.alignment import NUMBERS, EncodedSides, aligned_numbers
from app.features.encoded.sentences import ENCODED, READ, READING, begin_encoding, cut_rows, encoded_sides

__all__ = [
    "ENCODED",
    "NUMBERS",
    "READ",
    "READING",
    "EncodedSides",
    "aligned_numbers",
    "begin_encoding",
    "cut_rows",
    "encoded_sides",
]
