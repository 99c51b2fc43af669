"""Combining two directed alignments, as Moses does, and judging the result.

Koehn et al. 2003, 2005 (grow-diag-final-and); Och and Ney 2003 (alignment error rate).
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s
from app.building.alignment.symmetrisation_kernels import INTERSECTION, UNION, symmetrise_segments
from app.errors import InputError
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.ragged import offsets_of

__all__ = ["DEFAULT_SYMMETRISATION", "SYMMETRISATIONS", "alignment_error_rate", "directed_links", "symmetrise", "symmetrise_links"]

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


def directed_links(corpus: ParallelCorpus, source_of: Int32s) -> WordLinks:
    """The links of one direction: the source place of every target word of the corpus, -1 for none."""
    places = np.flatnonzero(source_of >= 0)
    segments = corpus.target.segments[places]
    target = (places - corpus.target.offsets[segments]).astype(np.int32)
    order = np.lexsort((target, source_of[places], segments))
    offsets = offsets_of(np.bincount(segments, minlength=len(corpus)))
    return WordLinks(offsets, source_of[places][order].astype(np.int32), target[order])


def symmetrise(corpus: ParallelCorpus, source_of: Int32s, target_of: Int32s, method: str = DEFAULT_SYMMETRISATION) -> WordLinks:
    """Links from both directions: the source place of every target word, the target place of every source word; -1 none.

    Links grow in rounds, each from the links before it: what shipped lexical tables were counted from.
    """
    reversed = corpus.reversed
    return symmetrise_links(
        directed_links(corpus, source_of), directed_links(reversed, target_of).reversed, method, immediate=False
    )


def symmetrise_links(
    forward: WordLinks, reverse: WordLinks, method: str = DEFAULT_SYMMETRISATION, immediate: bool = True
) -> WordLinks:
    """Links of two directions, both source first, of the same segments as one; any number of links a word.

    With `immediate`, as in Moses' tools, a new link grows further in its own round if it comes later by source word, then by target
    word. Otherwise it grows in the next round. InputError if `method` is unknown, or if the numbers of segments differ.
    """
    if method not in SYMMETRISATIONS:
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}")
    if len(forward) != len(reverse):
        raise InputError("unequal-lengths", f"{len(forward)} lines of links forward but {len(reverse)} in reverse")
    neighbours, final = SYMMETRISATIONS[method]
    directions = [(links.offsets, links.source, links.target) for links in (forward, reverse)]
    return WordLinks(*symmetrise_segments(*directions[0], *directions[1], neighbours, final, immediate))


def alignment_error_rate(links: WordLinks, sure: WordLinks) -> float:
    """``1 - 2 |A ∩ S| / (|A| + |S|)`` with all reference links sure; a fraction, lower is better."""
    hits = len(np.intersect1d(_keys(links), _keys(sure)))
    size = len(links.source) + len(sure.source)
    return 1 - 2 * hits / size if size else 0.0


def _keys(links: WordLinks) -> Int64s:
    return (links.segments << 40) | (links.source.astype(np.int64) << 20) | links.target
