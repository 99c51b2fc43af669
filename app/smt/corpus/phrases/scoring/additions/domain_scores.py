"""Scores that tell which domains of a text a pair of phrases is of, by Moses' definitions and in its places."""

from itertools import pairwise
from typing import Final, Literal, get_args

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.corpus.phrases.scoring.additions.domains import DomainCounts, Domains
from app.smt.corpus.phrases.scoring.additions.scores import ON, Addition
from app.smt.corpus.phrases.scoring.additions.sparse_column import SparseScores
from app.smt.corpus.phrases.scoring.gathering import PairBlock

__all__ = ["DOMAIN_FEATURES", "DomainFeature", "domain_scores", "sparse_domain_scores"]

DomainFeature = Literal["indicator", "ratio", "subset"]
DOMAIN_FEATURES: Final = get_args(DomainFeature)
# Each is a score on every line; a subset of 6 takes 63.
MOST_DOMAINS: Final = 64
MOST_IN_SUBSETS: Final = 6


def domain_scores(domains: Domains, feature: DomainFeature) -> Addition:
    """Scores that every line has, 1 where one is off.

    `indicator`: 2.718 for each domain that the pair is of. `ratio`: for each, exp of its share of the pair's weight. `subset`:
    2.718 for the one set of domains that are all that the pair is of; sets are in the order of the binary numbers that have
    the first domain as their last digit. InputError where there are more domains than lines have room for.
    """
    if len(domains.names) > (MOST_IN_SUBSETS if feature == "subset" else MOST_DOMAINS):
        detail = f"{domains.path} has more domains than there is room for: {MOST_DOMAINS}, and {MOST_IN_SUBSETS} for subsets"
        raise InputError("invalid-table", detail, (str(domains.path),))
    width = len(domains.names)

    def scores(block: PairBlock) -> Float64s:
        counts = block.domains
        if feature == "subset":
            rows = len(counts.offsets) - 1
            subset = np.bincount(counts.pairs, (1 << counts.ids.astype(np.int64)) * (counts.weights > 0), rows)
            return np.where(subset[:, None] == np.arange(1, 1 << width), ON, 1.0)
        made = np.ones((len(counts.offsets) - 1, width))
        made[counts.pairs, counts.ids] = ON if feature == "indicator" else np.exp(_shares(counts, block))
        return made

    return Addition((f"--domain-{feature}", domains.path.name), direct=scores, domains=domains)


def sparse_domain_scores(domains: Domains, feature: DomainFeature) -> Addition:
    """Scores of those domains alone that a pair is of, in any number, sorted by name.

    `indicator`: ``dom_NAME 1`` for each. `ratio`: ``domr_NAME`` and its share of the pair's weight. `subset`: ``doms_A_B 1`` for
    all of them together, in the order in which domains were named.
    """
    spelled = [name.encode() for name in domains.names]

    def subsets(block: PairBlock) -> SparseScores:
        numbers: dict[bytes, int] = {}
        ids = block.domains.ids
        cells, ends = ids.tobytes(), (ids.itemsize * block.domains.offsets).tolist()
        of_rows = [numbers.setdefault(cells[begin:end], len(numbers)) for begin, end in pairwise(ends)]
        names = [b"_".join([b"doms", *(spelled[place] for place in np.frombuffer(cell, np.int32))]) for cell in numbers]
        return SparseScores.one_each(names, np.array(of_rows, np.int64))

    names = sorted(spelled)
    ranks = np.empty(len(names), np.int64)
    ranks[sorted(range(len(names)), key=spelled.__getitem__)] = np.arange(len(names))
    beginning = b"dom_" if feature == "indicator" else b"domr_"

    def each(block: PairBlock) -> SparseScores:
        counts = block.domains
        order = np.lexsort((ranks[counts.ids], counts.pairs))
        values = np.ones(len(order)) if feature == "indicator" else _shares(counts, block)[order]
        return SparseScores(tuple(beginning + name for name in names), counts.offsets, ranks[counts.ids][order], values)

    column = subsets if feature == "subset" else each
    return Addition((f"--sparse-domain-{feature}", domains.path.name), direct=column, domains=domains, sparse=True)


def _shares(counts: DomainCounts, block: PairBlock) -> Float64s:
    """Each domain's part of its pair's weight, of 32 bits as Moses has it."""
    whole = block.numbers[:, 0].astype(np.float32)[counts.pairs]
    return (counts.weights / whole).astype(np.float64)
