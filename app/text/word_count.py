"""Words as people count and pay them: what stands between blanks and holds a letter or digit; characters where there are none."""

from typing import Final

from app.text.languages import base_language

__all__ = ["COUNTED_BY_CHARACTERS", "word_count"]

# Languages that are written without blanks between words: Chinese with Cantonese, Wu and Min, Japanese, Thai, Lao, Khmer, Burmese.
COUNTED_BY_CHARACTERS: Final = frozenset({"zh", "yue", "wuu", "nan", "cmn", "ja", "th", "lo", "km", "my"})


def word_count(language: str, text: str) -> int:
    """Number of words of a text; of its letters and digits, marks left out, where nothing stands between words."""
    units = text if base_language(language) in COUNTED_BY_CHARACTERS else text.split()
    return sum(any(character.isalnum() for character in unit) for unit in units)
