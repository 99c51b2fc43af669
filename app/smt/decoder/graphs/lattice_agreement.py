"""Minimum Bayes risk over all derivations of a search: linear BLEU with posteriors of n-grams (Tromble et al. 2008)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.running.deadline import check_deadline
from app.smt.decoder.decoder import SearchResult
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.agreement import CANDIDATE_LIMIT, SCALE_LIMIT
from app.smt.decoder.graphs.lattice import Lattice, lattice_of

__all__ = ["LatticeMbr", "ngram_posteriors"]

ORDER: Final = 4
Ngram = tuple[str, ...]


@dataclass(frozen=True)
class LatticeMbr:
    """Options: candidates are the `size` best translations; probabilities of derivations are a softmax of `scale` × score.

    The gain of a translation is minus its number of words, plus the posterior of each of its n-grams times ``1 / (4 precision
    ratio ** (n - 1))``. The defaults are Moses' own for ``-lmbr``.
    """

    size: int = 200
    scale: float = 1.0
    precision: float = 0.8
    ratio: float = 0.6

    def __post_init__(self) -> None:
        if not 1 <= self.size <= CANDIDATE_LIMIT:
            raise InputError("invalid-request", f"agreement takes 1 to {CANDIDATE_LIMIT} translations", ("--mbr-size",))
        if not 0 <= self.scale <= SCALE_LIMIT:
            raise InputError("invalid-request", f"the scale of scores is from 0 to {SCALE_LIMIT}", ("--mbr-scale",))
        for name, value in (("--mbr-precision", self.precision), ("--mbr-ratio", self.ratio)):
            if not 0 < value <= 1:
                raise InputError("invalid-request", "precisions and their ratio are above 0 and up to 1", (name,))

    def best(self, result: SearchResult) -> Derivation | None:
        """Derivation of the best gain, the most probable of equal ones; None if the search reached no end.

        The search keeps alternatives.
        """
        candidates = result.n_best(self.size, distinct=True)
        lattice = lattice_of(result)
        if lattice is None or len(candidates) < 2:
            return candidates[0] if candidates else None
        lists = [ngrams_of(candidate.words) for candidate in candidates]
        posteriors = ngram_posteriors(lattice, list(dict.fromkeys(ngram for ngrams in lists for ngram in ngrams)), self.scale)
        gains = [self.gain(candidate.words, posteriors) for candidate in candidates]
        return candidates[int(np.argmax(gains))]

    def gain(self, words: Sequence[str], posteriors: dict[Ngram, float]) -> float:
        """Gain of a translation in linear BLEU."""
        factors = [1.0 / (ORDER * self.precision * self.ratio**n) for n in range(ORDER)]
        return sum(factors[len(ngram) - 1] * posteriors[ngram] for ngram in ngrams_of(words)) - len(words)


def ngrams_of(words: Sequence[str]) -> list[Ngram]:
    """All n-grams of up to four words, each as often as it occurs."""
    return [tuple(words[end - n : end]) for end in range(1, len(words) + 1) for n in range(1, min(ORDER, end) + 1)]


def ngram_posteriors(lattice: Lattice, ngrams: Sequence[Ngram], scale: float = 1.0) -> dict[Ngram, float]:
    """Probability that a derivation of the lattice has an n-gram, once or more, for these distinct n-grams.

    A state is a node with the last three words. For each state, the forward pass adds up the probability of the ways to it that
    have each n-gram. Time is the number of arcs of states times the number of n-grams.
    """
    numbers = {ngram: number for number, ngram in enumerate(ngrams)}
    shares = _arc_shares(lattice, scale)
    nodes = len(lattice.offsets) - 1
    last_use = np.zeros(nodes, np.int64)
    np.maximum.at(last_use, lattice.previous, np.repeat(np.arange(nodes), np.diff(lattice.offsets)))
    last_use[nodes - lattice.ends :] = nodes
    free_after: dict[int, list[int]] = {}
    for node, use in enumerate(last_use.tolist()):
        free_after.setdefault(use, []).append(node)
    # Of each node, by last words: the probability of the ways to it, and of those that have each n-gram.
    ways: dict[int, dict[Ngram, tuple[float, Float64s]]] = {0: {(): (1.0, np.zeros(len(ngrams)))}}
    phrases = [tuple(words) for words in lattice.words]
    for node, (begin, end) in enumerate(pairwise(lattice.offsets.tolist())):
        check_deadline()
        states = ways.setdefault(node, {})
        for arc in range(begin, end):
            if not shares[arc]:
                continue
            phrase = phrases[lattice.arc_options[arc]]
            for history, (probability, row) in ways[int(lattice.previous[arc])].items():
                words = (*history, *phrase)
                new = row.copy()
                new[_completed(words, len(history), numbers)] = probability
                after = words[-(ORDER - 1) :]
                former_sums = states.get(after)
                share = float(shares[arc])
                total, sums = (0.0, np.zeros(len(ngrams))) if former_sums is None else former_sums
                states[after] = (total + share * probability, sums + share * new)
        for former in free_after.get(node, ()):
            ways.pop(former, None)
    sums = np.zeros(len(ngrams))
    for node in range(nodes - lattice.ends, nodes):
        for _, row in ways[node].values():
            sums += row
    return dict(zip(ngrams, np.minimum(sums, 1.0).tolist(), strict=True))


def _completed(words: Ngram, begin: int, numbers: dict[Ngram, int]) -> list[int]:
    """Numbers of the n-grams that end behind the first `begin` words."""
    return [
        number
        for end in range(begin + 1, len(words) + 1)
        for n in range(1, min(ORDER, end) + 1)
        if (number := numbers.get(words[end - n : end])) is not None
    ]


def _arc_shares(lattice: Lattice, scale: float) -> Float64s:
    """Probability of each arc given its begin node, so that complete ways sum to 1; shape (arcs,)."""
    nodes = len(lattice.offsets) - 1
    gains = scale * lattice.gains
    rest = np.full(nodes, -np.inf)
    rest[nodes - lattice.ends :] = 0.0
    ends: Int64s = np.repeat(np.arange(nodes), np.diff(lattice.offsets))
    for node in range(nodes - 1, 0, -1):
        arcs = slice(lattice.offsets[node], lattice.offsets[node + 1])
        if rest[node] > -np.inf:
            np.logaddexp.at(rest, lattice.previous[arcs], gains[arcs] + rest[node])
    with np.errstate(invalid="ignore"):
        logs = gains + rest[ends] - rest[lattice.previous]
    return np.where(np.isneginf(rest[ends]), 0.0, np.exp(logs))
