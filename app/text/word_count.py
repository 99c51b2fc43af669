"""Number of billable words: blank-separated units with a letter or digit, or characters in languages without blanks."""

from typing import Final

from app.text.languages import base_language

__all__ = ["COUNTED_BY_CHARACTERS", "word_count"]

# Languages without blanks between words: Chinese with Cantonese, Wu and Min, Japanese, Thai, Lao, Khmer, Burmese.
COUNTED_BY_CHARACTERS: Final = frozenset({"zh", "yue", "wuu", "nan", "cmn", "ja", "th", "lo", "km", "my"})


def word_count(language: str, text: str) -> int:
    """Number of words of a text; the number of its letters and digits if the language has no blanks between words."""
    units = text if base_language(language) in COUNTED_BY_CHARACTERS else text.split()
    return sum(any(character.isalnum() for character in unit) for unit in units)
