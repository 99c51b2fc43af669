"""Letters for a table of systems: two that share one were not shown to differ.

Source: Piepho 2004, "An algorithm for a letter-based representation of all-pairwise comparisons" (insert and absorb).
"""

from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from string import ascii_lowercase
from typing import Final

from app.running.deadline import check_deadline

__all__ = ["MOST_GROUPS", "groups_of", "pairs_of", "significance_letters"]

# Tables have a handful. The groups that nothing can be added to can be twice as many for every two systems that differ, while
# far fewer of them have every two systems that do not.
MOST_GROUPS: Final = 100


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Every two systems, in order."""
    return list(combinations(systems, 2))


def significance_letters(systems: Sequence[str], differ: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters per system; `systems` from the best to the worst, `differ` for each of their pairs in either order."""
    apart = {frozenset(pair) for pair, differs in differ.items() if differs}
    groups = groups_of(systems, apart)
    place = {name: k for k, name in enumerate(systems)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    names = [ascii_lowercase[k % 26] * (k // 26 + 1) for k in range(len(ordered))]
    return {name: "".join(letter for letter, group in zip(names, ordered, strict=True) if name in group) for name in systems}


def groups_of(systems: Sequence[str], apart: Set[frozenset[str]], most: int = MOST_GROUPS) -> list[frozenset[str]]:
    """All groups without two that are apart to which no system can be added; where there are more than `most`, enough of them."""
    groups: list[frozenset[str]] = [frozenset(systems)]
    for one, other in pairs_of(systems):
        if frozenset((one, other)) not in apart:
            continue
        check_deadline()
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {one}, group - {other}] if one in group and other in group else [group]
        groups = [
            group for k, group in enumerate(split)
            if not any(group < rival or (group == rival and j < k) for j, rival in enumerate(split) if j != k)
        ]  # fmt: skip
        if len(groups) > most:
            return _enough_groups(systems, apart)
    return groups


def _enough_groups(systems: Sequence[str], apart: Set[frozenset[str]]) -> list[frozenset[str]]:
    """Groups without two that are apart, in which every system is, and with it every other that it is not apart from."""
    groups: list[frozenset[str]] = []
    for pair in [*map(frozenset, pairs_of(systems)), *(frozenset((name,)) for name in systems)]:
        if pair in apart or any(pair <= group for group in groups):
            continue
        check_deadline()
        group = set(pair)
        for name in systems:
            if all(frozenset((name, member)) not in apart for member in group - {name}):
                group.add(name)
        groups.append(frozenset(group))
    return groups
