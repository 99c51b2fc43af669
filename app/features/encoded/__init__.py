"""Features of two texts, in any languages, from vectors of a multilingual encoder."""

from app.features.encoded.alignment import NUMBERS, aligned_numbers
from app.features.encoded.cross import CROSS_GROUP, computed_readings, cross_cut_rows, cross_readings, reading_columns
from app.features.encoded.sentences import READ, READING, VECTOR_GROUP, begin_encoding, computed_numbers, cut_rows, encoded_sides
from app.features.token_vectors import EncodedSides

__all__ = [
    "CROSS_GROUP",
    "NUMBERS",
    "READ",
    "READING",
    "VECTOR_GROUP",
    "EncodedSides",
    "aligned_numbers",
    "begin_encoding",
    "computed_numbers",
    "computed_readings",
    "cross_cut_rows",
    "cross_readings",
    "cut_rows",
    "encoded_sides",
    "reading_columns",
]
