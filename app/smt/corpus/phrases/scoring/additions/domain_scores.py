"""Scores of the domains of a phrase pair, with the definitions and positions of Moses."""

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
# Each domain is a score of every line; subsets of 6 domains make 63 scores.
MOST_DOMAINS: Final = 64
MOST_IN_SUBSETS: Final = 6


def domain_scores(domains: Domains, feature: DomainFeature) -> Addition:
    """Dense scores of domains; the neutral value is 1.

    `indicator`: 2.718 for each domain of the pair. `ratio`: exp of the share of each domain in the weight of the pair. `subset`:
    2.718 for the set of all domains of the pair; sets are ordered as binary numbers with the first domain as the lowest digit.
    InputError for too many domains.
    """
    if len(domains.names) > (MOST_IN_SUBSETS if feature == "subset" else MOST_DOMAINS):
        detail = f"{domains.path} has too many domains; the limit is {MOST_DOMAINS}, and {MOST_IN_SUBSETS} for subsets"
        raise InputError("invalid-table", detail, (str(domains.path),))
    width = len(domains.names)

    def scores(block: PairBlock) -> Float64s:
        counts = block.domains
        if feature == "subset":
            rows = len(counts.offsets) - 1
            subset = np.bincount(counts.pairs, (1 << counts.ids.astype(np.int64)) * (counts.weights > 0), rows)
            return np.where(subset[:, None] == np.arange(1, 1 << width), ON, 1.0)
        table = np.ones((len(counts.offsets) - 1, width))
        table[counts.pairs, counts.ids] = ON if feature == "indicator" else np.exp(_shares(counts, block))
        return table

    return Addition((f"--domain-{feature}", domains.path.name), direct=scores, domains=domains)


def sparse_domain_scores(domains: Domains, feature: DomainFeature) -> Addition:
    """Sparse scores of the domains of a pair, of any number of domains, sorted by name.

    `indicator`: ``dom_NAME 1`` for each. `ratio`: ``domr_NAME`` and its share in the weight of the pair. `subset`: ``doms_A_B 1``
    for all, in the order of the file of domains.
    """
    encoded_names = [name.encode() for name in domains.names]

    def subsets(block: PairBlock) -> SparseScores:
        numbers: dict[bytes, int] = {}
        ids = block.domains.ids
        cells, ends = ids.tobytes(), (ids.itemsize * block.domains.offsets).tolist()
        subset_of_row = [numbers.setdefault(cells[begin:end], len(numbers)) for begin, end in pairwise(ends)]
        names = [b"_".join([b"doms", *(encoded_names[place] for place in np.frombuffer(cell, np.int32))]) for cell in numbers]
        return SparseScores.single(names, np.array(subset_of_row, np.int64))

    names = sorted(encoded_names)
    ranks = np.empty(len(names), np.int64)
    ranks[sorted(range(len(names)), key=encoded_names.__getitem__)] = np.arange(len(names))
    beginning = b"dom_" if feature == "indicator" else b"domr_"

    def domain_columns(block: PairBlock) -> SparseScores:
        counts = block.domains
        order = np.lexsort((ranks[counts.ids], counts.pairs))
        values = np.ones(len(order)) if feature == "indicator" else _shares(counts, block)[order]
        return SparseScores(tuple(beginning + name for name in names), counts.offsets, ranks[counts.ids][order], values)

    column = subsets if feature == "subset" else domain_columns
    return Addition((f"--sparse-domain-{feature}", domains.path.name), direct=column, domains=domains, sparse=True)


def _shares(counts: DomainCounts, block: PairBlock) -> Float64s:
    """Share of each domain in the weight of its pair, rounded to 32 bits as in Moses; shape (entries,)."""
    totals = block.numbers[:, 0].astype(np.float32)[counts.pairs]
    return (counts.weights / totals).astype(np.float64)
