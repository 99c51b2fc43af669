"""Combining two directed alignments, as Moses does, and judging the result.

Koehn et al. 2003, 2005 (grow-diag-final-and); Och and Ney 2003 (alignment error rate).
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s
from app.corpus.alignment_kernels import INTERSECTION, UNION, symmetrise_segments
from app.errors import InputError
from app.text.parallel_corpus import ParallelCorpus, WordLinks

__all__ = ["DEFAULT_SYMMETRISATION", "SYMMETRISATIONS", "alignment_error_rate", "symmetrise"]

DEFAULT_SYMMETRISATION: Final = "grow-diag-final-and"
# Neighbours that links grow to, and how many ends of a link must be free for it to be added at last (0: nothing is).
SYMMETRISATIONS: Final[Mapping[str, tuple[int, int]]] = {
    "intersect": (INTERSECTION, 0),
    "union": (UNION, 0),
    "grow": (4, 0),
    "grow-diag": (8, 0),
    "grow-diag-final": (8, 1),
    DEFAULT_SYMMETRISATION: (8, 2),
}


def symmetrise(corpus: ParallelCorpus, source_of: Int32s, target_of: Int32s, method: str = DEFAULT_SYMMETRISATION) -> WordLinks:
    """Links from both directions: the source place of every target word, the target place of every source word; -1 none."""
    if method not in SYMMETRISATIONS:
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}")
    neighbours, final = SYMMETRISATIONS[method]
    places = (np.ascontiguousarray(directed, np.int32) for directed in (source_of, target_of))
    return WordLinks(*symmetrise_segments(*places, corpus.source.offsets, corpus.target.offsets, neighbours, final))


def alignment_error_rate(links: WordLinks, sure: WordLinks) -> float:
    """``1 - 2 |A ∩ S| / (|A| + |S|)`` with all reference links sure; a fraction, lower is better."""
    hits = len(np.intersect1d(_keys(links), _keys(sure)))
    size = len(links.source) + len(sure.source)
    return 1 - 2 * hits / size if size else 0.0


def _keys(links: WordLinks) -> Int64s:
    return (links.segments << 40) | (links.source.astype(np.int64) << 20) | links.target
