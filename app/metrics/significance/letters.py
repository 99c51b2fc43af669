"""Letters for a table of systems: two that share one were not shown to differ.

Source: Piepho 2004, "An algorithm for a letter-based representation of all-pairwise comparisons" (insert and absorb).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from string import ascii_lowercase

__all__ = ["pairs_of", "significance_letters"]


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Every two systems, in order."""
    return list(combinations(systems, 2))


def significance_letters(systems: Sequence[str], differ: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters per system; `systems` from the best to the worst, `differ` for each of their pairs in either order."""
    groups: list[frozenset[str]] = [frozenset(systems)]
    for one, other in pairs_of(systems):
        if not (differ.get((one, other)) or differ.get((other, one))):
            continue
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {one}, group - {other}] if one in group and other in group else [group]
        groups = [
            group for k, group in enumerate(split)
            if not any(group < rival or (group == rival and j < k) for j, rival in enumerate(split) if j != k)
        ]  # fmt: skip
    place = {name: k for k, name in enumerate(systems)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    names = [ascii_lowercase[k % 26] * (k // 26 + 1) for k in range(len(ordered))]
    return {name: "".join(letter for letter, group in zip(names, ordered, strict=True) if name in group) for name in systems}
