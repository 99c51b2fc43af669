"""Tags of words and gaps from post-edits: changed or deleted words and filled gaps are BAD, the rest is OK.

Words of a translation and its post-edit are aligned with the fewest insertions, deletions and substitutions, without shifts.
Source: the word-level tasks of WMT since 2018.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from app.arrays import Int8s

__all__ = ["tags_of_post_edits"]


def tags_of_post_edits(translations: Iterable[Sequence[str]], post_edits: Iterable[Sequence[str]]) -> tuple[Int8s, Int8s]:
    """Tags (1: BAD) of the words of all tokenised translations, and of their gaps, one more than words in each."""
    words: list[int] = []
    gaps: list[int] = []
    for translation, post_edit in zip(translations, post_edits, strict=True):
        of_words, of_gaps = _tags(translation, post_edit)
        words += of_words
        gaps += of_gaps
    return np.array(words, np.int8), np.array(gaps, np.int8)


def _tags(translation: Sequence[str], post_edit: Sequence[str]) -> tuple[list[int], list[int]]:
    n, m = len(translation), len(post_edit)
    numbers = {word: number for number, word in enumerate(dict.fromkeys((*translation, *post_edit)))}
    translation_ids, edit_ids = (np.array([numbers[word] for word in words], np.int64) for words in (translation, post_edit))
    costs = np.empty((n + 1, m + 1), np.int32)
    costs[0], steps = np.arange(m + 1), np.arange(m + 1)
    for i in range(1, n + 1):
        row = np.concatenate([[i], np.minimum(costs[i - 1, 1:] + 1, costs[i - 1, :-1] + (edit_ids != translation_ids[i - 1]))])
        # An insertion comes from the left: the least of all to the left, with their distance.
        costs[i] = np.minimum.accumulate(row - steps) + steps
    words, gaps = [0] * n, [0] * (n + 1)
    i, j = n, m
    while i or j:
        if i and j and costs[i, j] == costs[i - 1, j - 1] + (translation_ids[i - 1] != edit_ids[j - 1]):
            i, j = i - 1, j - 1
            words[i] = int(translation_ids[i] != edit_ids[j])
        elif i and costs[i, j] == costs[i - 1, j] + 1:
            i -= 1
            words[i] = 1
        else:
            j -= 1
            gaps[i] = 1
    return words, gaps
