"""Derivations: the phrases of a translation in their order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from app.smt.decoder.system import System

__all__ = ["Derivation", "Phrase", "spans"]


@dataclass(frozen=True)
class Phrase:
    """Source words from `start` to before `end`, their translation, and its row of the tables; -1 for an unknown word.

    A translation from markup has row -1 too, and `hint`, the logarithm of its probability. Sparse features look at `source`, the
    source words. In a lattice, `start` and `end` are nodes, and `inputs` are the values of InputFeature.
    """

    start: int
    end: int
    words: tuple[str, ...]
    row: int
    hint: float | None = None
    source: tuple[str, ...] = field(default=(), compare=False)
    inputs: tuple[float, ...] = ()

    @property
    def unknown(self) -> bool:
        """Return True if no table and no markup translates the word."""
        return self.row < 0 and self.hint is None


@dataclass(frozen=True)
class Derivation:
    """Phrases in target order, and their model score in the search. In a lattice, `jumps` are the distances before each phrase."""

    phrases: tuple[Phrase, ...]
    score: float
    jumps: tuple[int, ...] | None = None

    @property
    def words(self) -> list[str]:
        """Target words."""
        return [word for phrase in self.phrases for word in phrase.words]

    @property
    def text(self) -> str:
        """Target words with one blank between them."""
        return " ".join(self.words)

    @property
    def span_text(self) -> str:
        """Translation with the source span of each phrase behind it, as ``the house |0-1|``."""
        return " ".join(" ".join((*phrase.words, f"|{phrase.start}-{phrase.end - 1}|")) for phrase in self.phrases)

    @property
    def alignment(self) -> str:
        """Source and target span of each phrase, as ``0-1=0 2=1-2``, without phrases that have no target words."""
        return spans((phrase.start, phrase.end, len(phrase.words)) for phrase in self.phrases)

    def word_alignment(self, system: System) -> str:
        """Word links of the tables, as ``0-0 1-2``; an unknown word links to itself, and translations of markup have none."""
        return " ".join(f"{source_place}-{target_place}" for source_place, target_place in self.links(system))

    def links(self, system: System) -> list[tuple[int, int]]:
        """Word links as pairs of source index and target index, each from 0."""
        links: list[tuple[int, int]] = []
        target_start = 0
        for phrase, source_start in zip(self.phrases, self._source_starts(), strict=True):
            if phrase.unknown:
                links += [(source_start, target_start)] * len(phrase.words)
            elif phrase.row >= 0:
                cells = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]]
                links += [
                    (source_start + source_place, target_start + target_place)
                    for source_place, target_place in cells.reshape(-1, 2).tolist()
                ]
            target_start += len(phrase.words)
        return links

    def _source_starts(self) -> list[int]:
        """First source word of each phrase; in a lattice, among the words of the path."""
        if self.jumps is None:
            return [phrase.start for phrase in self.phrases]
        order = sorted(range(len(self.phrases)), key=lambda number: self.phrases[number].start)
        ends = accumulate(len(self.phrases[number].source) for number in order)
        starts = dict(zip(order, [0, *ends], strict=False))
        return [starts[number] for number in range(len(self.phrases))]


def spans(phrases: Iterable[tuple[int, int, int]]) -> str:
    """Spans of both sides as ``0-1=0 2=1-2``, from source start, source end and target length of each phrase.

    Phrases without target words are left out.
    """
    cells, begin = [], 0
    for start, end, width in phrases:
        if width:
            cells.append(f"{_span(start, end)}={_span(begin, begin + width)}")
        begin += width
    return " ".join(cells)


def _span(start: int, end: int) -> str:
    return str(start) if end == start + 1 else f"{start}-{end - 1}"
