"""Case of terms in texts."""

from app.resources.terminology.words import PlacedWord

__all__ = ["keeps_case"]


def keeps_case(term_word: str, word: PlacedWord) -> bool:
    """Return True if the letters that a word shares with a word of a term have the case of the term.

    The first word of a text may begin with a capital letter.
    """
    text = word.text
    if word.start == 0 and text[:1] == term_word[:1].upper():
        text, term_word = text[1:], term_word[1:]
    for letter, term_letter in zip(text, term_word, strict=False):
        if letter.casefold() != term_letter.casefold():
            return True
        if letter != term_letter:
            return False
    return True
