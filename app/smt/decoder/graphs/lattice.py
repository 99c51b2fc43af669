"""Lattice of the derivations that a search did not prune: sums over them, and the share of each arc."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.decoder import SearchResult
from app.smt.decoder.graphs.lattice_kernels import arcs_of, inside_outside
from app.smt.decoder.options import TranslationOptions

__all__ = ["Lattice", "Sum", "lattice_of"]


@dataclass(frozen=True, eq=False)
class Sum:
    """Logarithm of Σ exp(score) over derivations, -inf without any, and the share of each arc in the sum."""

    log: float
    shares: Float64s


@dataclass(frozen=True, eq=False)
class Lattice:
    """Arcs by end node, the best first; those into node n are ``offsets[n]`` to before ``offsets[n + 1]``.

    Arc a begins at node ``previous[a]``, and applies the option ``arc_options[a]``, which adds ``gains[a]`` to the score. Node 0 is
    the begin, and the last `ends` nodes are complete translations. `options` are those of the search, and `words` their target
    words.
    """

    options: TranslationOptions
    words: list[list[str]]
    offsets: Int64s
    previous: Int64s
    arc_options: Int64s
    gains: Float64s
    ends: int

    def sum(self, target: Sequence[str] | None = None) -> Sum:
        """Sum over all derivations, or over those of the `target`."""
        numbers: dict[str, int] = {}
        target_numbers = np.array([numbers.setdefault(word, len(numbers)) for word in target or ()], np.int32)
        words: Int32s = np.zeros(0, np.int32)
        if target is not None:
            words = np.array([numbers.get(word, -1) for phrase in self.words for word in phrase], np.int32)
        log, shares = inside_outside(
            self.offsets, self.previous, self.arc_options, self.gains, self.ends, self.options.offsets, words,
            target_numbers, target is not None,
        )  # fmt: skip
        return Sum(float(log), shares)


def lattice_of(result: SearchResult) -> Lattice | None:
    """Lattice of a search with alternatives; None if it has no translation, or the sentence no words."""
    if result.graph is None:
        return None
    options, words, stacks = result.graph
    length = len(result.tokens)
    if not stacks.counts[3 + length]:
        return None
    offsets, previous, arc_options, gains, ends = arcs_of(
        stacks.hypotheses, stacks.scores, stacks.arcs, stacks.arc_scores, stacks.items, stacks.counts, length
    )
    return Lattice(options, words, offsets, previous, arc_options, gains, int(ends))
