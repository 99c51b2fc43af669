"""Reordering Grammars: split labels whose children choose labels or words (thesis, section 3.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from app.arrays import Float64s
from app.smt.reordering.labels import Layout

__all__ = ["Grammar"]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Probabilities of a grammar. A slot, which is a child of a symbol, becomes a symbol or a terminal.

    `roots` has the shape (symbols,), `rules` (slots, symbols) and `emissions` (terminals, slots). A slot's row of rules and its
    column of emissions add up to 1. `words` has the text of each terminal, the unknown one first.
    """

    layout: Layout
    words: tuple[str, ...]
    roots: Float64s = field(repr=False)
    rules: Float64s = field(repr=False)
    emissions: Float64s = field(repr=False)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each terminal by its text."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def longest_terminal(self) -> int:
        """Number of words of the longest terminal."""
        return max(word.count(" ") + 1 for word in self.words)
