"""All derivations that a search did not prune, as arcs between hypotheses: how much they weigh together, and each arc's share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.decoder import Translations
from app.smt.decoder.graphs.lattice_kernels import arcs_of, inside_outside
from app.smt.decoder.options import Options

__all__ = ["Lattice", "Sum", "lattice_of"]


@dataclass(frozen=True, eq=False)
class Sum:
    """The logarithm of Σ exp(score) over derivations, -inf where there is none, and of each arc the share of those that take it."""

    log: float
    shares: Float64s


@dataclass(frozen=True, eq=False)
class Lattice:
    """Arcs by the node that they lead to, the best first; those into node n are ``offsets[n]`` to before ``offsets[n + 1]``.

    Arc a goes on from node ``before[a]`` by the option ``chosen[a]``, which adds ``gains[a]`` to the score. Node 0 is the
    beginning, the last `ends` nodes are whole translations. `options` are those of the search, `words` the words of each.
    """

    options: Options
    words: list[list[str]]
    offsets: Int64s
    before: Int64s
    chosen: Int64s
    gains: Float64s
    ends: int

    def sum(self, needed: Sequence[str] | None = None) -> Sum:
        """The sum over all derivations, or over those whose translation are the `needed` words."""
        numbers: dict[str, int] = {}
        wanted = np.array([numbers.setdefault(word, len(numbers)) for word in needed or ()], np.int32)
        words: Int32s = np.zeros(0, np.int32)
        if needed is not None:
            words = np.array([numbers.get(word, -1) for phrase in self.words for word in phrase], np.int32)
        log, shares = inside_outside(
            self.offsets, self.before, self.chosen, self.gains, self.ends, self.options.offsets, words, wanted, needed is not None
        )  # fmt: skip
        return Sum(float(log), shares)


def lattice_of(result: Translations) -> Lattice | None:
    """The lattice of a search that kept alternatives; None where it found no translation, and of a sentence without words."""
    if result.searched is None:
        return None
    options, words, stacks = result.searched
    length = len(result.tokens)
    if not stacks.counts[3 + length]:
        return None
    offsets, before, chosen, gains, ends = arcs_of(
        stacks.hypotheses, stacks.scores, stacks.arcs, stacks.arc_scores, stacks.items, stacks.counts, length
    )
    return Lattice(options, words, offsets, before, chosen, gains, int(ends))
