"""Words of the subword tokens of an MT system, matched by their characters."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Final

from app.text.composition import composed_with_places

__all__ = ["places_of_words", "words_of_pieces"]

DIGITS: Final = re.compile(r"&#[0-9]{20}")


def _plain(piece: str) -> str:
    """Lower-case characters of a piece, without BPE's ``@@``, SentencePiece's ``▁``, Moses' escapes and blanks."""
    bare = piece.removesuffix("@@").replace("▁", "")
    # Python raises an error for a character reference with thousands of digits.
    return "".join((bare if DIGITS.search(bare) else unescape(bare)).lower().split())


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> list[int] | None:
    """Number of the word that holds the first character of each piece, from 0; None if the characters differ."""
    plain = [_plain(piece) for piece in pieces]
    lower_words = [word.lower() for word in words]
    text, places = composed_with_places("".join(plain))
    if text != "".join(lower_words):
        return None
    owners = [number for number, word in enumerate(lower_words) for _ in word]
    if places:
        # Pieces of a decomposed text have more characters than its words.
        sizes = {begin: (end - begin, owner) for (begin, end), owner in zip(places, owners, strict=True)}
        owners = [owner for size, owner in sizes.values() for _ in range(size)]
    out: list[int] = []
    at = 0
    for piece in plain:
        out.append(owners[min(at, len(owners) - 1)] if owners else 0)
        at += len(piece)
    return out


def places_of_words(text: str, words: Sequence[str]) -> list[tuple[int, int] | None]:
    """Start and end of each word of the composed text (NFC), in characters of the text as it is.

    None for a word that the text does not hold unchanged, since the tokeniser dropped characters inside it.
    """
    text, places = composed_with_places(text)
    spans = _places_in(text, words)
    return [span and (places[span[0]][0], places[span[1] - 1][1]) for span in spans] if places else spans


def _places_in(text: str, words: Sequence[str]) -> list[tuple[int, int] | None]:
    out: list[tuple[int, int] | None] = []
    at = 0
    follows_gap = False
    for word in words:
        start = text.find(word, at)
        # Only blanks lie between words. A match after further letters belongs to another word, unless the word before had no match.
        if start < 0 or (not follows_gap and any(character.isalnum() for character in text[at:start])):
            out.append(None)
            follows_gap = True
            continue
        out.append((start, start + len(word)))
        at = start + len(word)
        follows_gap = False
    return out
