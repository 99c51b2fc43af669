"""Letters for a table of systems: systems that share a letter do not differ significantly.

Source: Piepho 2004, "An algorithm for a letter-based representation of all-pairwise comparisons" (insert and absorb).
"""

from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from string import ascii_lowercase
from typing import Final

from app.running.deadline import check_deadline

__all__ = ["GROUP_LIMIT", "maximal_groups", "pairs_of", "significance_letters"]

# Each pair of systems that differs may double the number of maximal groups. Far fewer groups suffice to cover all pairs that do
# not differ. Usual tables need a handful.
GROUP_LIMIT: Final = 100


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs of systems, in order."""
    return list(combinations(systems, 2))


def significance_letters(systems: Sequence[str], differ: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters of each system.

    `systems` are sorted from the best to the worst; `differ` tells for each pair, in either order, if it differs significantly.
    """
    differing = {frozenset(pair) for pair, differs in differ.items() if differs}
    groups = maximal_groups(systems, differing)
    rank = {name: k for k, name in enumerate(systems)}
    sorted_groups = sorted(groups, key=lambda group: sorted(rank[name] for name in group))
    names = [ascii_lowercase[k % 26] * (k // 26 + 1) for k in range(len(sorted_groups))]
    return {name: "".join(letter for letter, group in zip(names, sorted_groups, strict=True) if name in group) for name in systems}


def maximal_groups(systems: Sequence[str], differing: Set[frozenset[str]], limit: int = GROUP_LIMIT) -> list[frozenset[str]]:
    """Maximal groups of systems without a pair of `differing`; if there are more than `limit`, a cover of all other pairs."""
    groups: list[frozenset[str]] = [frozenset(systems)]
    for first, second in pairs_of(systems):
        if frozenset((first, second)) not in differing:
            continue
        check_deadline()
        parts: list[frozenset[str]] = []
        for group in groups:
            parts += [group - {first}, group - {second}] if first in group and second in group else [group]
        groups = [
            group for k, group in enumerate(parts)
            if not any(group < rival or (group == rival and j < k) for j, rival in enumerate(parts) if j != k)
        ]  # fmt: skip
        if len(groups) > limit:
            return _covering_groups(systems, differing)
    return groups


def _covering_groups(systems: Sequence[str], differing: Set[frozenset[str]]) -> list[frozenset[str]]:
    """Groups without a pair of `differing` that cover every system and every other pair."""
    groups: list[frozenset[str]] = []
    for pair in [*map(frozenset, pairs_of(systems)), *(frozenset((name,)) for name in systems)]:
        if pair in differing or any(pair <= group for group in groups):
            continue
        check_deadline()
        group = set(pair)
        for name in systems:
            if all(frozenset((name, member)) not in differing for member in group - {name}):
                group.add(name)
        groups.append(frozenset(group))
    return groups
