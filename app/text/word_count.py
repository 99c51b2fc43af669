"""Words as people count and pay them: what stands between blanks and holds a letter or digit; characters where there are none."""

from app.text.languages import base_language
from app.text.tokenisation import CHARACTER_LANGUAGES

__all__ = ["word_count"]


def word_count(language: str, text: str) -> int:
    """Number of words of a text."""
    units = text if base_language(language) in CHARACTER_LANGUAGES else text.split()
    return sum(any(character.isalnum() for character in unit) for unit in units)
