"""Texts that somebody would send to keep a service busy: as long as a segment may be, and what few people write."""

from typing import Final

__all__ = ["LONGEST", "TEXTS"]

LONGEST: Final = 20_000


def _word(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number, 26)
        letters += chr(97 + letter)
    return letters


def _repeated(piece: str) -> str:
    return (piece * (LONGEST // len(piece) + 1))[:LONGEST]


DISTINCT: Final = [_word(number) for number in range(1000, 9000)]
TEXTS: Final = {
    "combining marks": "e" + "\u0301" * (LONGEST - 1),
    "blanks of no width": _repeated("\u200b"),
    "one word": _repeated("a "),
    "distinct words": " ".join(DISTINCT)[:LONGEST],
    "names": " ".join(word.capitalize() for word in DISTINCT)[:LONGEST],
    "one-letter words": _repeated(" ".join(map(_word, range(1, 26))) + " "),
    "one long word": _repeated("a"),
    "capitals": _repeated("A"),
    "two scripts": _repeated("a\u0431"),
    "two scripts, apart": _repeated("a \u0431 "),
    "full stops": _repeated("."),
    "full stops, apart": _repeated(". "),
    "full stops, then blanks": "x" + "." * (LONGEST // 2) + " " * (LONGEST // 2 - 2) + "a",
    "full stops, apart, before a word": _repeated(". ")[:-1] + "a",
    "abbreviations": _repeated("a."),
    "runs of stops": _repeated("a.."),
    "commas": _repeated(","),
    "numbers with commas": _repeated("1,"),
    "grouped digits": _repeated("000 "),
    "digits": _repeated("7"),
    "digits, apart": _repeated("7 "),
    "ten thousands": _repeated("7\u4e07"),
    "Han": _repeated("\u4e2d"),
    "Han, distinct": "".join(chr(0x4E00 + number) for number in range(LONGEST)),
    "hangul": _repeated("\uac01"),
    "conjuncts": _repeated("\u0915\u094d"),
    "brackets": _repeated("("),
    "pairs of brackets": _repeated("()"),
    "quotation marks": _repeated('"'),
    "apostrophes": _repeated("'"),
    "apostrophes, apart": _repeated("' "),
    "elided words": _repeated("a'"),
    "competing apostrophes": _repeated("a' 'b "),
    "hyphens": _repeated("a-"),
    "emoji": _repeated("\U0001f600"),
    "the mark of Moses' stops": _repeated("DOTMULTI"),
    "blanks": " " * (LONGEST - 1) + "a",
    "controls": "\x01" * (LONGEST - 1) + "a",
    "addresses": _repeated("http://a.b/c "),
    "entities": _repeated("&amp;"),
    "negations": _repeated("nu "),
}
