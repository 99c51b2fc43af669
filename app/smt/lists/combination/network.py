"""Confusion networks: TER aligns the outputs of all systems to a backbone output (Rosti et al. 2007).

A network is a sequence of slots. In each slot every system votes for one arc: a word, or the empty word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Int64s
from app.metrics.lexical.ter_kernels import align_words
from app.running.deadline import check_deadline
from app.smt.lists.combination.words import Spacing, Word
from app.text.ragged import offsets_of

__all__ = ["EMPTY", "ConfusionNetwork", "build_network"]

EMPTY: Final = Word("")
# The word of each system in a slot; missing systems vote for the empty word.
Slot = dict[int, Word]


@dataclass(frozen=True, eq=False)
class ConfusionNetwork:
    """A network; slot t has the arcs ``offsets[t]:offsets[t + 1]`` of `words` and of the rows of `votes`.

    `votes` (arcs, systems) is True for the systems of an arc; `backbone` is the index of a system.
    """

    offsets: Int64s
    words: tuple[Word, ...]
    votes: Bools
    backbone: int
    spacing: Spacing

    def __len__(self) -> int:
        return len(self.offsets) - 1


def build_network(texts: Sequence[Sequence[Word]], backbone: int) -> ConfusionNetwork:
    """Build a network around a backbone; word comparison ignores case, and arcs keep the original words."""
    numbers: dict[str, int] = {}
    keys = [np.array([numbers.setdefault(word.text.lower(), len(numbers)) for word in words], np.int64) for words in texts]
    slots: list[Slot] = [{backbone: word} for word in texts[backbone]]
    # Slots before each word of the backbone, and after the last one.
    gaps: list[list[Slot]] = [[] for _ in range(len(slots) + 1)]
    for system, words in enumerate(texts):
        if system == backbone:
            continue
        check_deadline()
        _, order, partners = align_words(keys[system], keys[backbone])
        between: dict[int, list[Word]] = {}
        gap = 0
        for place, partner in zip(order.tolist(), partners.tolist(), strict=True):
            if partner >= 0:
                slots[partner][system] = words[place]
                gap = partner + 1
            else:
                between.setdefault(gap, []).append(words[place])
        for gap, words_of_system in between.items():
            gaps[gap] = _merged(gaps[gap], system, words_of_system)
    row = [slot for gap, after in zip(gaps, [*([slot] for slot in slots), []], strict=True) for slot in (*gap, *after)]
    return _network(row, len(texts), backbone, Spacing(texts))


def _merged(slots: list[Slot], system: int, words: list[Word]) -> list[Slot]:
    """Align inserted words to earlier insertions at this position, by edit distance."""
    present = [{word.text.lower() for word in slot.values()} for slot in slots]
    rows, columns = len(words), len(slots)
    cost = [[i + j for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(1, rows + 1):
        key = words[i - 1].text.lower()
        for j in range(1, columns + 1):
            beside = cost[i - 1][j - 1] + (0 if key in present[j - 1] else 1)
            cost[i][j] = min(beside, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    out: list[Slot] = []
    i, j = rows, columns
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (0 if words[i - 1].text.lower() in present[j - 1] else 1):
            i, j = i - 1, j - 1
            out.append({**slots[j], system: words[i]})
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
            out.append({system: words[i]})
        else:
            j -= 1
            out.append(slots[j])
    return out[::-1]


def _network(slots: Sequence[Slot], systems: int, backbone: int, spacing: Spacing) -> ConfusionNetwork:
    words: list[Word] = []
    votes: list[list[bool]] = []
    sizes = []
    for slot in slots:
        arcs: dict[str, tuple[Word, list[bool]]] = {}
        for system in range(systems):
            word = slot.get(system, EMPTY)
            arcs.setdefault(word.text, (word, [False] * systems))[1][system] = True
        sizes.append(len(arcs))
        words += [word for word, _ in arcs.values()]
        votes += [row for _, row in arcs.values()]
    return ConfusionNetwork(offsets_of(sizes), tuple(words), np.array(votes, np.bool_).reshape(-1, systems), backbone, spacing)
