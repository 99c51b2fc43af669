"""Moses' word tokenisation: the tokens of sacremoses, in a fraction of its time.

Moses' rules are regular expressions over a segment, but each looks only at one blank-separated piece and the blanks around it.
Three cases differ:

- a full stop looks at the first character of the next piece,
- English apostrophes on both sides of one blank compete for it,
- the edges of a segment are not blanks.

So pieces are tokenised once and cached. Only segments with such apostrophes or edges are tokenised as one text.
"""

import re
from functools import cache
from itertools import chain, pairwise
from typing import Final

from app.text.moses.tables import abbreviations, character_classes

__all__ = ["MosesWords"]

Tokens = tuple[str, ...]
JUNK: Final = re.compile(r"[\000-\010\016-\033]")
# A run of markers matches at once. A pattern that required the closing marker would restart at each marker.
STOP_MARKERS: Final = re.compile(r"(?:DOT)++(MULTI)?+")
STOPS: Final = re.compile(r"\.{2,}")
TRAILING_STOP: Final = re.compile(r"\.' ?$")
NUMERIC_ONLY: Final = re.compile(r"\s#NUMERIC_ONLY#")
# Longer pieces are not cached: they seldom recur and would fill the cache.
LONGEST_CACHED: Final = 40
MOST_CACHED_TOKENS: Final = 8
CACHE_SIZE: Final = 100_000
LANGUAGES: Final = {"et": "et", "de": "de", "ro": "ro", "ru": "ru", "es": "es", "fr": "fr", "en": "en"}
DIGITS: Final = frozenset("0123456789")
# These signs stay beside their neighbours until a later rule looks at them.
LATER_SIGNS: Final = frozenset(" .'`,-")
# Rules of commas and apostrophes see kinds of characters: letter (a), s, number (0), both (i), comma, apostrophe, rest (_).
# Moses' own patterns list ten thousand letters, and each takes 2 ms to compile.
COMMAS: Final = (("([^0i]),", r"\1 , "), (",([^0i])", r" , \1"), ("([0i]),$", r"\1 , "))
ENGLISH_APOSTROPHES: Final = (
    ("([^asi])'([^asi])", r"\1 ' \2"),
    ("([^asi0])'([asi])", r"\1 ' \2"),
    ("([asi])'([^asi])", r"\1 ' \2"),
    ("([asi])'([asi])", r"\1 '\2"),
    ("([0i])'(s)", r"\1 '\2"),
)
FRENCH_APOSTROPHES: Final = (
    ("([^asi])'([^asi])", r"\1 ' \2"),
    ("([^asi])'([asi])", r"\1 ' \2"),
    ("([asi])'([^asi])", r"\1 ' \2"),
    ("([asi])'([asi])", r"\1' \2"),
)
APOSTROPHES: Final = {"en": ENGLISH_APOSTROPHES, "fr": FRENCH_APOSTROPHES}
OTHER_APOSTROPHES: Final = (("'", " ' "),)


@cache
def _kinds() -> dict[str, str]:
    letters, numbers = character_classes().alpha, character_classes().number
    kinds = dict.fromkeys(letters, "a") | dict.fromkeys(numbers, "0") | dict.fromkeys(letters & numbers, "i")
    return kinds | {mark: mark for mark in "s,'"}


class _PieceCache:
    """Cache of pieces with their tokens, in their case and in lower case.

    `open_stops` maps a piece to characters: its last full stop stays on the word if the next piece begins with one of them.
    `tokens` has such pieces with the full stop cut off.
    """

    def __init__(self) -> None:
        self.tokens: dict[str, Tokens] = {}
        self.lower_tokens: dict[str, Tokens] = {}
        self.open_stops: dict[str, frozenset[str]] = {}

    def add(self, piece: str, tokens: Tokens, keeps_stop_before: frozenset[str]) -> None:
        if len(piece) > LONGEST_CACHED or len(tokens) > MOST_CACHED_TOKENS:
            return
        # First: another thread may find the tokens as soon as they are here.
        if keeps_stop_before:
            self.open_stops[piece] = keeps_stop_before
        self.tokens[piece] = tokens
        self.lower_tokens[piece] = tuple(token.lower() for token in tokens)


class MosesWords:
    """Callable: text -> tokens, equal to ``MosesTokenizer(language).tokenize(text, escape=False)``."""

    def __init__(self, language: str) -> None:
        rules = LANGUAGES.get(language, "en")
        prefixes = abbreviations(rules)
        numeric = frozenset(word.rpartition(" ")[0] for word in prefixes if NUMERIC_ONLY.search(word))
        self._numeric_prefixes = numeric
        self._prefixes = prefixes - numeric
        self._apostrophes = APOSTROPHES.get(rules, OTHER_APOSTROPHES)
        self._compete = rules in APOSTROPHES
        self._edges = frozenset(",'") if self._compete else frozenset(",")
        self._cache = _PieceCache()

    def __call__(self, text: str, lower: bool = False) -> list[str]:
        """Tokens of one segment, in lower case if `lower`."""
        pieces = (JUNK.sub("", text) if JUNK.search(text) else text).split()
        if not pieces:
            return []
        if pieces[0][0] in self._edges or ("'" in text and self._compete and _competing(pieces)):
            tokens, _ = self._piece(" ".join(pieces), is_segment=True)
            return [token.lower() for token in tokens] if lower else list(tokens)
        if len(self._cache.tokens) >= CACHE_SIZE:
            self._cache = _PieceCache()
        # Another thread may begin a new cache at any moment, so this call keeps to one.
        pieces_cache = self._cache
        table = pieces_cache.lower_tokens if lower else pieces_cache.tokens
        entries = list(map(table.get, pieces))
        if None in entries or not pieces_cache.open_stops.keys().isdisjoint(pieces[:-1]):
            return self._look_closer(pieces, pieces_cache, lower)
        return list(chain.from_iterable(entries))  # type: ignore[arg-type]

    def _look_closer(self, pieces: list[str], pieces_cache: _PieceCache, lower: bool) -> list[str]:
        out: list[str] = []
        for piece, following in zip(pieces, [*pieces[1:], " "], strict=True):
            tokens, keeps = pieces_cache.tokens.get(piece), pieces_cache.open_stops.get(piece, frozenset())
            if tokens is None:
                tokens, keeps = self._piece(piece, is_segment=False)
                pieces_cache.add(piece, tokens, keeps)
            if following[0] in keeps:
                tokens = (*tokens[:-2], tokens[-2] + ".")
            out += tokens
        return [token.lower() for token in out] if lower else out

    def _piece(self, piece: str, is_segment: bool) -> tuple[Tokens, frozenset[str]]:
        """Tokens of a piece, or of a segment if `is_segment`, and the next characters that would keep its last full stop on."""
        stem = piece[:-1] if piece[-1] in ".," else piece
        if stem and "MULTI" not in stem and character_classes().alnum.issuperset(stem):
            if piece[-1] != ".":
                return ((stem,) if stem == piece else (stem, ",")), frozenset()
            tokens = [piece]
        else:
            tokens = self._separate(piece if is_segment else f" {piece} ").split()
        tokens, keeps = self._cut_stops(tokens)
        text = " ".join(tokens)
        if is_segment:
            text = TRAILING_STOP.sub(" . ' ", text)
        if "MULTI" in text:
            text = STOP_MARKERS.sub(lambda run: "." * ((run.end() - run.start() - 5) // 3) if run[1] else run[0], text)
        return tuple(text.split()), keeps

    def _separate(self, text: str) -> str:
        alnum = character_classes().alnum
        text = "".join([sign if sign in alnum or sign in LATER_SIGNS else f" {sign} " for sign in text])
        if ".." in text:
            text = STOPS.sub(lambda run: " " + "DOT" * (run.end() - run.start()) + "MULTI ", text)
        rules = (COMMAS if "," in text else ()) + (self._apostrophes if "'" in text else ())
        if not rules:
            return text
        table = _kinds()
        kinds = "".join([table.get(sign, "_") for sign in text])
        for pattern, replacement in rules:
            kinds = re.sub(pattern, replacement, kinds)
        signs = iter(text)
        return "".join([" " if kind == " " else next(signs) for kind in kinds])

    def _cut_stops(self, tokens: list[str]) -> tuple[list[str], frozenset[str]]:
        """Cut full stops off words, except abbreviations. Return the tokens, and next characters that would keep the last stop."""
        out: list[str] = []
        keeps: frozenset[str] = frozenset()
        for k, token in enumerate(tokens):
            prefix = token[:-1]
            if not prefix or token[-1] != "." or self._abbreviates(prefix):
                out.append(token)
                keeps = frozenset()
                continue
            keeps = character_classes().lower
            if prefix in self._numeric_prefixes:
                keeps |= DIGITS
            following = tokens[k + 1] if k + 1 < len(tokens) else " "
            out += [token] if following[0] in keeps else [prefix, "."]
        return out, keeps

    def _abbreviates(self, prefix: str) -> bool:
        return prefix in self._prefixes or ("." in prefix and not character_classes().alpha.isdisjoint(prefix))


def _competing(pieces: list[str]) -> bool:
    return pieces[-1][-1] == "'" or any(a[-1] == "'" == b[0] for a, b in pairwise(pieces))
