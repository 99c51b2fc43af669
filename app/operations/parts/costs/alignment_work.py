"""Estimates of the work of METEOR's alignment, whose search compares all pairs of equal words, and of dependency trees."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final

__all__ = ["work_of_meteor", "work_of_meteor_lists"]

# Metrics that align words as METEOR does; a trained metric may.
ALIGNING: Final = re.compile(r"meteor(?![^:|])|beer:(?:0\.1|1\.|treepel)|trained:")
TREES: Final = re.compile(r"(?:beer|trained):[^|]{0,60}treepel")
WORD: Final = re.compile(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+")
# A pair of equal words takes so long in a beam of 40 alignments, and a pair of any words in their copies.
WORK_OF_MATCH: Final = 300
WORK_OF_WORDS: Final = 50
# A character's share of its segment's dependency tree.
WORK_OF_TREE: Final = 30_000


def work_of_meteor(metrics: Sequence[str], groups: Iterable[tuple[Iterable[str], Iterable[str]]]) -> int:
    """Work of alignments and trees of each hypothesis of a group with each reference, beyond that of any metric. O(words)."""
    aligning, parsing = (sum(pattern.match(name) is not None for name in metrics) for pattern in (ALIGNING, TREES))
    if not aligning:
        return 0
    work = 0
    for group in groups:
        hypotheses, references = map(list, group)
        work += aligning * _work_of_group(hypotheses, references)
        work += parsing * WORK_OF_TREE * sum(map(len, chain(hypotheses, references)))
    return work


def work_of_meteor_lists(
    metrics: Sequence[str], systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]
) -> int:
    """Work of METEOR for systems against all references, segment by segment."""
    groups = (zip_longest(*lists.values(), fillvalue="") for lists in (systems, references))
    return work_of_meteor(metrics, zip(*groups, strict=False))


def _work_of_group(hypotheses: Iterable[str], references: Iterable[str]) -> int:
    counts, reference_counts = (Counter(chain.from_iterable(map(_words, texts))) for texts in (hypotheses, references))
    matches = sum(times * reference_counts[word] for word, times in counts.items())
    return WORK_OF_MATCH * matches + WORK_OF_WORDS * counts.total() * reference_counts.total()


def _words(text: str) -> list[str]:
    """Words between blanks, and single letters of Chinese and Japanese."""
    return WORD.findall(text.lower())
