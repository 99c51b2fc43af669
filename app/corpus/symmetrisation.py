"""Combining two directed alignments, as Moses does, and judging the result.

Koehn et al. 2003, 2005 (grow-diag-final-and); Och and Ney 2003 (alignment error rate).
"""

from collections.abc import Sequence
from typing import Final

from app.arrays import Int32s

__all__ = ["Links", "alignment_error_rate", "grow_diag_final_and", "parse_links"]

Links = frozenset[tuple[int, int]]
NEIGHBOURS: Final = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def parse_links(line: str) -> Links:
    """Read ``0-0 1-2``: zero-based, source first."""
    pairs = (link.split("-") for link in line.split())
    return frozenset((int(source), int(target)) for source, target in pairs)


def grow_diag_final_and(forward: Int32s, backward: Int32s) -> Links:
    """Symmetrise: ``forward[j]`` is the source of target j, ``backward[i]`` the target of source i; -1 none."""
    straight = {(int(i), j) for j, i in enumerate(forward) if i >= 0}
    inverse = {(i, int(j)) for i, j in enumerate(backward) if j >= 0}
    union = straight | inverse
    links = straight & inverse
    sources = {i for i, _ in links}
    targets = {j for _, j in links}
    grown = True
    while grown:
        grown = False
        for i, j in sorted(links):
            for di, dj in NEIGHBOURS:
                at = (i + di, j + dj)
                if at in union and at not in links and (at[0] not in sources or at[1] not in targets):
                    links.add(at)
                    sources.add(at[0])
                    targets.add(at[1])
                    grown = True
    for directed in (straight, inverse):
        for i, j in sorted(directed):
            if i not in sources and j not in targets:
                links.add((i, j))
                sources.add(i)
                targets.add(j)
    return frozenset(links)


def alignment_error_rate(found: Sequence[Links], sure: Sequence[Links]) -> float:
    """``1 - 2 |A ∩ S| / (|A| + |S|)`` with all reference links sure; a fraction, lower is better."""
    hits = sum(len(a & s) for a, s in zip(found, sure, strict=True))
    size = sum(len(a) + len(s) for a, s in zip(found, sure, strict=True))
    return 1 - 2 * hits / size if size else 0.0
