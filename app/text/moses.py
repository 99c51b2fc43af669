"""Moses' word tokenisation, to the token, without its cost.

Moses' rules are regular expressions over a whole segment, but all of them look at one blank-separated piece and the blanks
around it, with three exceptions: a full stop looks at the first character of the next piece, English apostrophes on both sides
of one blank compete for it, and the edges of a segment are not blanks. So a piece is tokenised once and remembered, and only
segments with such apostrophes and edges are tokenised whole.
"""

import re
from functools import cache
from itertools import chain, pairwise
from typing import Any, Final

__all__ = ["MosesWords"]

Tokens = tuple[str, ...]
Rule = tuple[re.Pattern[str], str]
JUNK: Final = re.compile(r"[\000-\010\016-\033]")
# A run of markers as one: a pattern that needs what closes them would begin again at each.
STOP_MARKERS: Final = re.compile(r"(?:DOT)++(MULTI)?+")
NUMERIC_ONLY: Final = re.compile(r"\s#NUMERIC_ONLY#")
# A piece longer than this is tokenised every time: one that never comes back should not fill the memory.
LONGEST_REMEMBERED: Final = 40
MOST_REMEMBERED: Final = 100_000
LANGUAGES: Final = {"et": "et", "de": "de", "ro": "ro", "ru": "ru", "es": "es", "fr": "fr", "en": "en"}
DIGITS: Final = frozenset("0123456789")


@cache
def _moses() -> Any:
    """The class of sacremoses, imported where somebody tokenises: metrics have tokenisers of their own."""
    from sacremoses import MosesTokenizer

    return MosesTokenizer


@cache
def _characters(kind: str) -> frozenset[str]:
    return frozenset(getattr(_moses(), kind))


@cache
def _simple_piece() -> re.Pattern[str]:
    return re.compile(f"([{_moses().IsAlnum}]+)([.,]?)")


class _Memory:
    """What is known of pieces: their tokens, as they stand or in small letters.

    `open_stops` has the pieces whose last full stop stays on its word if the next piece begins with one of the characters;
    `tokens` holds them with the full stop cut off.
    """

    def __init__(self) -> None:
        self.tokens: dict[str, Tokens] = {}
        self.lowered: dict[str, Tokens] = {}
        self.open_stops: dict[str, frozenset[str]] = {}

    def add(self, piece: str, tokens: Tokens, keeps_stop_before: frozenset[str]) -> None:
        if len(piece) > LONGEST_REMEMBERED:
            return
        if len(self.tokens) >= MOST_REMEMBERED:
            self.__init__()  # type: ignore[misc]
        if keeps_stop_before:
            self.open_stops[piece] = keeps_stop_before
        self.tokens[piece] = tokens
        self.lowered[piece] = tuple(token.lower() for token in tokens)


class MosesWords:
    """Callable: text -> tokens, those of ``MosesTokenizer(language).tokenize(text, escape=False)``."""

    def __init__(self, language: str) -> None:
        rules = LANGUAGES.get(language, "en")
        # Built by sacremoses, so that its lists of prefixes are read in one place only.
        prefixes = _moses()(rules).NONBREAKING_PREFIXES
        numeric = frozenset(word.rpartition(" ")[0] for word in prefixes if NUMERIC_ONLY.search(word))
        self._numeric_prefixes = numeric
        self._prefixes = frozenset(prefixes) - numeric
        specific: dict[str, list[Rule]] = {
            "en": _moses().ENGLISH_SPECIFIC_APOSTROPHE,
            "fr": _moses().FR_IT_SPECIFIC_APOSTROPHE,
        }
        self._apostrophes = specific.get(rules, [_moses().NON_SPECIFIC_APOSTROPHE])
        self._edges = frozenset(",'") if rules in specific else frozenset(",")
        self._compete = rules in specific
        self._memory = _Memory()

    def __call__(self, text: str, lower: bool = False) -> list[str]:
        """Tokens of one segment; `lower` puts each in small letters."""
        pieces = (JUNK.sub("", text) if JUNK.search(text) else text).split()
        if not pieces:
            return []
        if pieces[0][0] in self._edges or ("'" in text and self._compete and _competing(pieces)):
            tokens, _ = self._piece(" ".join(pieces), whole=True)
            return [token.lower() for token in tokens] if lower else list(tokens)
        # Another thread may forget everything at any moment: work on this one's.
        memory = self._memory
        table = memory.lowered if lower else memory.tokens
        entries = list(map(table.get, pieces))
        if None in entries or not memory.open_stops.keys().isdisjoint(pieces[:-1]):
            return self._look_closer(pieces, lower)
        return list(chain.from_iterable(entries))  # type: ignore[arg-type]

    def _look_closer(self, pieces: list[str], lower: bool) -> list[str]:
        out: list[str] = []
        memory = self._memory
        for piece, following in zip(pieces, [*pieces[1:], " "], strict=True):
            tokens, keeps = memory.tokens.get(piece), memory.open_stops.get(piece, frozenset())
            if tokens is None:
                tokens, keeps = self._piece(piece, whole=False)
                memory.add(piece, tokens, keeps)
            if following[0] in keeps:
                tokens = (*tokens[:-2], tokens[-2] + ".")
            out += tokens
        return [token.lower() for token in out] if lower else out

    def _piece(self, piece: str, whole: bool) -> tuple[Tokens, frozenset[str]]:
        """Tokens of a piece between blanks, or of a whole segment; and before what its last full stop would stay on."""
        simple = _simple_piece().fullmatch(piece)
        if simple and "MULTI" not in piece:
            stem, mark = simple.groups()
            tokens = [piece] if mark == "." else [stem, mark] if mark else [stem]
        else:
            tokens = self._separate(piece if whole else f" {piece} ").split()
        tokens, keeps = self._cut_stops(tokens)
        text = " ".join(tokens)
        if whole:
            pattern, replacement = _moses().TRAILING_DOT_APOSTROPHE
            text = pattern.sub(replacement, text)
        if "MULTI" in text:
            text = STOP_MARKERS.sub(lambda run: "." * ((run.end() - run.start() - 5) // 3) if run[1] else run[0], text)
        return tuple(text.split()), keeps

    def _separate(self, text: str) -> str:
        pattern, replacement = _moses().PAD_NOT_ISALNUM
        text = pattern.sub(replacement, text)
        if ".." in text:
            text = _moses().MULTIDOT_RUN.sub(lambda run: " " + "DOT" * (run.end() - run.start()) + "MULTI ", text)
        rules: list[Rule] = []
        if "," in text:
            rules += (_moses().COMMA_SEPARATE_1, _moses().COMMA_SEPARATE_2, _moses().COMMA_SEPARATE_3)
        if "'" in text:
            rules += self._apostrophes
        for pattern, replacement in rules:
            text = pattern.sub(replacement, text)
        return text

    def _cut_stops(self, tokens: list[str]) -> tuple[list[str], frozenset[str]]:
        """Full stops cut off their words, unless an abbreviation or the next token keeps them on."""
        out: list[str] = []
        keeps: frozenset[str] = frozenset()
        for k, token in enumerate(tokens):
            prefix = token[:-1]
            if not prefix or token[-1] != "." or self._abbreviates(prefix):
                out.append(token)
                keeps = frozenset()
                continue
            keeps = _characters("IsLower")
            if prefix in self._numeric_prefixes:
                keeps |= DIGITS
            following = tokens[k + 1] if k + 1 < len(tokens) else " "
            out += [token] if following[0] in keeps else [prefix, "."]
        return out, keeps

    def _abbreviates(self, prefix: str) -> bool:
        return prefix in self._prefixes or ("." in prefix and not _characters("IsAlpha").isdisjoint(prefix))


def _competing(pieces: list[str]) -> bool:
    return pieces[-1][-1] == "'" or any(a[-1] == "'" == b[0] for a, b in pairwise(pieces))
