"""A bound on the tokens of a segment that features are computed from.

Parsing, links between words and comparisons of pairs take nearly the square of a length. A segment of thousands of words is a
mistake or an attack, and every waiting request would pay for it. Its first tokens stand for it, and the answer says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.arrays import Int64s
from app.engine.segments import Segments
from app.text.tokenisation import MOST_TOKENS, Tokeniser, tokeniser_for

__all__ = ["BoundedSegments", "bounded"]


@dataclass(frozen=True)
class BoundedSegments:
    """Segments whose texts have at most `MOST_TOKENS` tokens; `truncated` are the rows of cut texts.

    `source_tokens` and `translation_tokens` map rows of cut texts to their numbers of tokens before the cut.
    """

    segments: Segments
    truncated: frozenset[int] = frozenset()
    source_tokens: Mapping[int, int] | None = None
    translation_tokens: Mapping[int, int] | None = None

    def whole_source_tokens(self, lengths: Int64s) -> Int64s:
        """Tokens of the sources before the cut; `lengths` (n,) are the tokens after it."""
        return _with(lengths, self.source_tokens)

    def whole_translation_tokens(self, lengths: Int64s) -> Int64s:
        """Tokens of the translations before the cut; `lengths` (n,) are the tokens after it."""
        return _with(lengths, self.translation_tokens)


def bounded(segments: Segments) -> BoundedSegments:
    """Cut texts of more than `MOST_TOKENS` tokens, also in side information; short segments are returned as they are."""
    if not segments.side_information and max(map(len, (*segments.sources, *segments.translations)), default=0) <= _Cutter.shortest:
        return BoundedSegments(segments)
    source, target = (_Cutter(tokeniser_for(language)) for language in (segments.pair.source, segments.pair.target))
    sources, translations = source.column(segments.sources), target.column(segments.translations)
    source_tokens, translation_tokens = dict(source.tokens), dict(target.tokens)
    beside = {
        kind.name: kind.cut(column, source if kind.in_source_language else target)
        for kind, column in segments.side_information.items()
        if kind.cut is not None
    }
    truncated = frozenset(source.tokens) | frozenset(target.tokens)
    if not truncated:
        return BoundedSegments(segments)
    information = segments.side_information.with_kinds(**beside)
    cut = replace(segments, sources=sources, translations=translations, side_information=information)
    return BoundedSegments(cut, truncated, source_tokens, translation_tokens)


class _Cutter:
    """A cutter of texts in one language; `tokens` maps the rows of cut texts to their numbers of tokens."""

    # No token is shorter than a character.
    shortest = MOST_TOKENS

    def __init__(self, tokenise: Tokeniser) -> None:
        self._tokenise = tokenise
        self.tokens: dict[int, int] = {}

    def column(self, texts: Sequence[str]) -> Sequence[str]:
        """Cut a column of texts, one per row."""
        if max(map(len, texts), default=0) <= self.shortest:
            return texts
        return [self.text(row, text) for row, text in enumerate(texts)]

    def text(self, row: int, text: str) -> str:
        """Cut the text of a row behind its first `MOST_TOKENS` tokens."""
        if len(text) <= self.shortest:
            return text
        tokens = self._tokenise.cased(text)
        if len(tokens) <= MOST_TOKENS:
            return text
        self.tokens[row] = len(tokens)
        return _beginning(text, sum(map(len, tokens[:MOST_TOKENS])))


def _beginning(text: str, characters: int) -> str:
    """The text up to its nth character that is no blank, the end of its first tokens."""
    for at, character in enumerate(text):
        if not character.isspace():
            characters -= 1
            if not characters:
                return text[: at + 1]
    return text


def _with(lengths: Int64s, uncut: Mapping[int, int] | None) -> Int64s:
    if not uncut:
        return lengths
    out = lengths.copy()
    out[list(uncut)] = list(uncut.values())
    return out
