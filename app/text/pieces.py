"""Which word each subword token of an MT system belongs to, by their characters."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Final

__all__ = ["places_of_words", "words_of_pieces"]

DIGITS: Final = re.compile(r"&#[0-9]{20}")


def _plain(piece: str) -> str:
    """The characters of a piece: without BPE's ``@@``, SentencePiece's ``▁``, Moses' escapes and blanks, in small letters."""
    bare = piece.removesuffix("@@").replace("▁", "")
    # A reference of thousands of digits is no character, and Python would not even read the number.
    return "".join((bare if DIGITS.search(bare) else unescape(bare)).lower().split())


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> list[int] | None:
    """For each piece the number of the word that its first character is in; None where the characters differ."""
    plain, whole = [_plain(piece) for piece in pieces], [word.lower() for word in words]
    if "".join(plain) != "".join(whole):
        return None
    owners = [number for number, word in enumerate(whole) for _ in word]
    out: list[int] = []
    at = 0
    for piece in plain:
        out.append(owners[min(at, len(owners) - 1)] if owners else 0)
        at += len(piece)
    return out


def places_of_words(text: str, words: Sequence[str]) -> list[tuple[int, int] | None]:
    """Where each word stands in the text it was taken from, as (start, end) in characters.

    None for a word that is not there as it is, since the tokeniser dropped characters inside it.
    """
    out: list[tuple[int, int] | None] = []
    at, lost = 0, False
    for word in words:
        start = text.find(word, at)
        # Words follow each other with blanks between: a place behind other letters is that of another word,
        # unless a word before it is lost.
        if start < 0 or (not lost and any(character.isalnum() for character in text[at:start])):
            out.append(None)
            lost = True
            continue
        out.append((start, start + len(word)))
        at, lost = start + len(word), False
    return out
