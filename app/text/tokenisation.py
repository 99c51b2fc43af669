"""Moses tokenisation, lower-cased, for every language; Han text is split into characters.

Resources and scored segments go through one tokeniser. A combining mark stays with its letter, while
Moses' own rules split Indic words at vowel signs. Invisible joiners of Indic scripts are dropped, as in
the tokenised MLQE-PE files.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from app.text.languages import base_language
from app.text.moses import MosesWords

__all__ = ["CHARACTER_LANGUAGES", "MOST_TOKENS", "TokenLines", "Tokeniser", "tokeniser_for", "tokens_of", "word_count"]

# Features look at this many tokens of a text. All features of such a text take a second, nine tenths of it for two parses.
MOST_TOKENS: Final = 1000
# Languages without blanks between words, which this tokeniser splits into characters.
CHARACTER_LANGUAGES: Final = frozenset({"zh"})
# Languages whose billable words are characters: Chinese with Cantonese, Wu and Min, Japanese, Thai, Lao, Khmer, Burmese.
COUNTED_BY_CHARACTERS: Final = frozenset({"zh", "yue", "wuu", "nan", "cmn", "ja", "th", "lo", "km", "my"})
# Bytes up to the blank divide tokens of tokenised text; this table maps them to the blank.
DIVIDERS: Final = bytes(max(32, byte) for byte in range(256))
INDIC: Final = {"ne", "si", "hi", "mr"}
HAN: Final = re.compile(
    "([\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
CJK_PUNCTUATION: Final = re.compile(
    "([\u3000-\u3004\u3008-\u3020\u3030\ufe30-\ufe4f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65])"
)
SEPARATE_MARK: Final = re.compile(r"([^\w\s\u0300-\u036f\u0900-\u0963\u0d80-\u0dff.,'-]|[\u0964\u0965])")
JOINERS: Final = re.compile("[\u200c\u200d]")
COMMA: Final = re.compile(r"(?<!\d),|,(?!\d)")
STOPS: Final = re.compile(r"\.+")
EDGE_QUOTE: Final = re.compile(r"(?<!\w)'|'(?!\w)")


def tokens_of(text: str) -> list[str]:
    """Tokens of tokenised text, split at ASCII blanks and control characters only.

    A no-break space is part of a word, as in Moses, GIZA++ and aligners, so numbers of linked words agree with theirs.
    """
    row = text.encode("utf-8", "surrogatepass").translate(DIVIDERS).decode("utf-8", "surrogatepass")
    return [token for token in row.split(" ") if token]


class TokenLines(NamedTuple):
    """Tokens of segments, joined by blanks: with their case, and in lower case."""

    with_case: list[str]
    lower: list[str]


class Tokeniser:
    """Callable: raw segment -> list of lower-cased tokens. It never fails and returns no empty token."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = None if language in INDIC else MosesWords(language)

    def __call__(self, text: str) -> list[str]:
        """Tokens of one segment."""
        if self._words is None:
            return _indic_tokens(text.lower())
        return self._words(self._spaced(text), lower=True)

    def cased(self, text: str) -> list[str]:
        """Tokens of one segment with their case, for taggers and parsers; as many as the lower-cased ones."""
        return _indic_tokens(text) if self._words is None else self._words(self._spaced(text))

    def lines(self, texts: Sequence[str]) -> "TokenLines":
        """Tokens of many segments, tokenised once for both cases."""
        lines = [" ".join(self.cased(text)) for text in texts]
        # Indic rules see the lower-cased text; others lower-case each token, and no letter looks beyond a blank.
        lower = [line.lower() for line in lines] if self._words is not None else [" ".join(self(text)) for text in texts]
        return TokenLines(lines, lower)

    def _spaced(self, text: str) -> str:
        return CJK_PUNCTUATION.sub(r" \1 ", HAN.sub(r" \1 ", text)) if self.language in CHARACTER_LANGUAGES else text


def _indic_tokens(text: str) -> list[str]:
    text = JOINERS.sub("", text)
    text = COMMA.sub(" , ", SEPARATE_MARK.sub(r" \1 ", text))
    return _separate_last_stops(EDGE_QUOTE.sub(" ' ", text)).split()


def _separate_last_stops(text: str) -> str:
    """Separate each run of full stops after the last word, if a blank or the end follows it.

    O(characters): a regular expression that looks from every stop to the end is cubic on a line of stops and blanks.
    """
    at = len(text)
    while at and not (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    begin = max(0, at - 1)
    tail = text[begin:]

    def separate(run: re.Match[str]) -> str:
        stops, start, end = run[0], run.start(), run.end()
        if end < len(tail) and not tail[end].isspace():
            return stops
        stands_free = not start or tail[start - 1].isspace()
        # In a free-standing run only the first stop is separated.
        return f" {stops}" if not stands_free else f". {stops[1:]}" if len(stops) > 1 else stops

    return text[:begin] + STOPS.sub(separate, tail)


@lru_cache(maxsize=64)
def tokeniser_for(language: str) -> Tokeniser:
    """Cached tokeniser of a language."""
    return Tokeniser(base_language(language))


def word_count(language: str, text: str) -> int:
    """Number of billable words: blank-separated units with a letter or digit, or characters in languages without blanks."""
    units = text if base_language(language) in COUNTED_BY_CHARACTERS else text.split()
    return sum(unit.isalnum() or any(map(str.isalnum, unit)) for unit in units)
