"""Identification of the language of a text, with py3langid's model of 140 languages."""

from app.resources.identification.texts import (
    CHARACTERS,
    LIKELY,
    SAMPLE_SIZE,
    Probabilities,
    identifiable,
    identify,
    identify_each,
    kin_of,
    letters_of,
    likeliest,
    looks_otherwise,
    order_of,
    spoken_words,
    warm_up_identifier,
)

__all__ = [
    "CHARACTERS",
    "LIKELY",
    "SAMPLE_SIZE",
    "Probabilities",
    "identifiable",
    "identify",
    "identify_each",
    "kin_of",
    "letters_of",
    "likeliest",
    "looks_otherwise",
    "order_of",
    "spoken_words",
    "warm_up_identifier",
]
