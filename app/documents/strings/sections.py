"""Blocks of two pages in pairs: sections by their headings, then the blocks of each section.

A translation may lack a section, and later blocks stay in their pairs. Among sections of one level, and among blocks of one kind,
the alignment with the highest total likeness counts (dynamic programming, as of Gale and Church, 1993).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, TypeVar

from app.documents.strings.entry import StringEntry
from app.running.deadline import check_deadline

__all__ = ["aligned_blocks"]

# Marks that stay in translations: code, addresses, numbers, names of sections, abbreviations.
MARK: Final = re.compile(r"`[^`\n]{1,80}`|\]\([^)\s]{1,200}|https?://[^\s)]{1,200}|\{#[\w-]{1,80}\}|\d+|\b[A-Z]{2,20}\b")
HEADING: Final = re.compile(r"h[1-6]")
# Comparisons of two sequences; longer ones have their pairs by number.
MOST_COMPARISONS: Final = 250_000
MOST_MARKS: Final = 200

Pairs = list[tuple[StringEntry, StringEntry]]
Part = TypeVar("Part")


@dataclass(frozen=True)
class _Blocks:
    """A block, or a section with its heading: kind or level, and marks that a translation has too."""

    kind: str
    entries: tuple[StringEntry, ...]

    @cached_property
    def marks(self) -> frozenset[str]:
        marks = (mark[0] for entry in self.entries for mark in MARK.finditer(entry.text))
        return frozenset(islice(marks, MOST_MARKS))

    @cached_property
    def kinds(self) -> Counter[str]:
        return Counter(map(_kind, self.entries))

    @cached_property
    def length(self) -> int:
        return sum(len(entry.text) for entry in self.entries)

    def likeness(self, rival: "_Blocks") -> float:
        """Likeness of two parts of one kind, from 1 to 6: marks count most, then kinds of blocks and length."""
        marks = self.marks | rival.marks
        shared_marks = len(self.marks & rival.marks) / len(marks) if marks else 0.5
        shared_kinds = (self.kinds & rival.kinds).total() / max(self.kinds.total(), rival.kinds.total(), 1)
        lengths = min(self.length, rival.length) / max(self.length, rival.length, 1)
        return 1.0 + 3.0 * shared_marks + shared_kinds + lengths


def aligned_blocks(sources: Sequence[StringEntry], translations: Sequence[StringEntry]) -> Pairs:
    """Pairs of blocks of two pages, in their order. O(blocks) for pages with equal headings and blocks, else O(blocks²)."""
    pairs: Pairs = []
    for source, translation in _aligned(_sections(sources), _sections(translations)):
        blocks = ([_Blocks(_kind(entry), (entry,)) for entry in section.entries] for section in (source, translation))
        pairs += [(first.entries[0], second.entries[0]) for first, second in _aligned(*blocks)]
    return pairs


def _kind(entry: StringEntry) -> str:
    """The kind of a block; a field of front matter is one of its own."""
    kind = entry.key.rsplit(".", 1)[0]
    return entry.key if kind == "front" else kind


def _sections(entries: Sequence[StringEntry]) -> list[_Blocks]:
    """Headings with the blocks behind them; blocks before the first heading are a section too."""
    sections: list[tuple[str, list[StringEntry]]] = [("", [])]
    for entry in entries:
        kind = _kind(entry)
        if HEADING.fullmatch(kind):
            sections.append((kind, []))
        sections[-1][1].append(entry)
    return [_Blocks(level, tuple(section)) for level, section in sections if section or not level]


def _aligned(sources: Sequence[_Blocks], translations: Sequence[_Blocks]) -> list[tuple[_Blocks, _Blocks]]:
    """Pairs of equal kinds, in order."""
    if [part.kind for part in sources] == [part.kind for part in translations]:
        return list(zip(sources, translations, strict=True))
    if len(sources) * len(translations) > MOST_COMPARISONS:
        by_number = dict(zip(_numbered(sources), sources, strict=True))
        return [(by_number[key], part) for key, part in zip(_numbered(translations), translations, strict=True) if key in by_number]
    return _best_path(sources, translations, lambda first, second: first.likeness(second) if first.kind == second.kind else None)


def _numbered(parts: Sequence[_Blocks]) -> list[tuple[str, int]]:
    """Kind and number of each part."""
    counts: Counter[str] = Counter()
    keys = []
    for part in parts:
        counts[part.kind] += 1
        keys.append((part.kind, counts[part.kind]))
    return keys


def _best_path(
    sources: Sequence[Part], translations: Sequence[Part], gain: Callable[[Part, Part], float | None]
) -> list[tuple[Part, Part]]:
    """The monotone pairs of the highest total gain. O(sources · translations)."""
    width = len(translations) + 1
    totals = [[0.0] * width]
    steps: list[bytearray] = [bytearray(width)]
    for source in sources:
        check_deadline()
        above, row, step = totals[-1], [0.0] * width, bytearray(width)
        for k, translation in enumerate(translations, 1):
            pair_gain = gain(source, translation)
            # 0 leaves out the source, 1 the translation, 2 pairs them.
            row[k], step[k] = (above[k], 0) if above[k] >= row[k - 1] else (row[k - 1], 1)
            if pair_gain is not None and above[k - 1] + pair_gain > row[k]:
                row[k], step[k] = above[k - 1] + pair_gain, 2
        totals.append(row)
        steps.append(step)
    pairs, i, k = [], len(sources), len(translations)
    while i and k:
        if steps[i][k] == 2:
            pairs.append((sources[i - 1], translations[k - 1]))
        i, k = (i - 1, k - 1) if steps[i][k] == 2 else (i - 1, k) if steps[i][k] == 0 else (i, k - 1)
    return pairs[::-1]
