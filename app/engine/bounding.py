"""Segments as far as features look at them.

Parsing, links between words and comparisons of pairs take the square of a length, or nearly. A segment of thousands of words is a
mistake or an attack, and what it costs falls on everybody who waits; so its first words stand for it, and the answer says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.arrays import Int64s
from app.engine.segments import Segments
from app.text.tokenisation import MOST_TOKENS, Tokeniser, tokeniser_for

__all__ = ["BoundedSegments", "bounded"]


@dataclass(frozen=True)
class BoundedSegments:
    """Segments with no text of more than `MOST_TOKENS` tokens; `truncated` are the rows of which a text was cut.

    `source_tokens` and `translation_tokens` say of cut texts how many tokens they had.
    """

    segments: Segments
    truncated: frozenset[int] = frozenset()
    source_tokens: Mapping[int, int] | None = None
    translation_tokens: Mapping[int, int] | None = None

    def whole_source_tokens(self, lengths: Int64s) -> Int64s:
        """`lengths` (n,) of the sources, with those that were cut as long as they had been."""
        return _with(lengths, self.source_tokens)

    def whole_translation_tokens(self, lengths: Int64s) -> Int64s:
        """The same of the translations."""
        return _with(lengths, self.translation_tokens)


def bounded(segments: Segments) -> BoundedSegments:
    """Cut what has more than `MOST_TOKENS` tokens, texts beside the segments too; nearly always the same object comes back."""
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
    information = segments.side_information.extended(**beside)
    cut = replace(segments, sources=sources, translations=translations, side_information=information)
    return BoundedSegments(cut, truncated, source_tokens, translation_tokens)


class _Cutter:
    """Cuts texts of one language; `tokens` has the rows where it had to, and how many tokens were there."""

    # No token is shorter than a character.
    shortest = MOST_TOKENS

    def __init__(self, tokenise: Tokeniser) -> None:
        self._tokenise = tokenise
        self.tokens: dict[int, int] = {}

    def column(self, texts: Sequence[str]) -> Sequence[str]:
        """One text per row."""
        if max(map(len, texts), default=0) <= self.shortest:
            return texts
        return [self.text(row, text) for row, text in enumerate(texts)]

    def text(self, row: int, text: str) -> str:
        """A text of a row, as far as its first `MOST_TOKENS` tokens."""
        if len(text) <= self.shortest:
            return text
        tokens = self._tokenise.cased(text)
        if len(tokens) <= MOST_TOKENS:
            return text
        self.tokens[row] = len(tokens)
        return _beginning(text, sum(map(len, tokens[:MOST_TOKENS])))


def _beginning(text: str, characters: int) -> str:
    """The text up to its nth character that is no blank, which is where its first tokens end."""
    for at, character in enumerate(text):
        if not character.isspace():
            characters -= 1
            if not characters:
                return text[: at + 1]
    return text


def _with(lengths: Int64s, whole: Mapping[int, int] | None) -> Int64s:
    if not whole:
        return lengths
    out = lengths.copy()
    out[list(whole)] = list(whole.values())
    return out
