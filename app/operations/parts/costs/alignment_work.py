"""Estimates of the work of METEOR, whose search compares all pairs of equal words."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final

__all__ = ["work_of_meteor", "work_of_meteor_lists"]

METEOR: Final = "meteor"
WORD: Final = re.compile(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+")
# A pair of equal words takes so long in a beam of 40 alignments, and a pair of any words in their copies.
WORK_OF_MATCH: Final = 300
WORK_OF_WORDS: Final = 50


def work_of_meteor(metrics: Sequence[str], groups: Iterable[tuple[Iterable[str], Iterable[str]]]) -> int:
    """Work of METEOR for each hypothesis of a group and each of its references, beyond the work of any metric. O(words)."""
    count = sum(name.partition(":")[0].partition("|")[0] == METEOR for name in metrics)
    return count * sum(_work_of_group(hypotheses, references) for hypotheses, references in groups) if count else 0


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
