"""Edit distances by bits against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.metrics.lexical.ter_bit_kernels import common_words, fill_masks, fill_rows, shifted_distance

WORDS = st.lists(st.integers(0, 6), max_size=40)


def distance(hypothesis: list[int], reference: list[int]) -> int:
    """Levenshtein's distance by its definition."""
    row = list(range(len(reference) + 1))
    for i, word in enumerate(hypothesis):
        above, row = row, [i + 1]
        for j, other in enumerate(reference):
            row.append(min(above[j] + (word != other), above[j + 1] + 1, row[j] + 1))
    return row[-1]


@given(WORDS.filter(bool), WORDS.filter(bool), st.data())
def test_distances_after_a_shift(hypothesis: list[int], reference: list[int], data: st.DataObject) -> None:
    size, columns = len(hypothesis), len(reference)
    masks, bits, totals = np.zeros(size, np.uint64), np.zeros((4, size + 1), np.uint64), np.zeros(size + 1, np.int64)
    fill_masks(np.array(hypothesis, np.int64), np.array(reference, np.int64), masks)
    assert fill_rows(masks, columns, 0, bits, totals) == distance(hypothesis, reference) == totals[-1]
    assert common_words(masks) == sum(min(hypothesis.count(word), reference.count(word)) for word in set(reference))
    start = data.draw(st.integers(0, size - 1))
    length = data.draw(st.integers(1, size - start))
    target = data.draw(st.integers(0, size))
    block, rest = hypothesis[start : start + length], hypothesis[:start] + hypothesis[start + length :]
    # A target inside or behind the block counts from the end of the block, as in Tercom.
    place = target if target < start else target - length if target > start + length else target
    moved = rest[:place] + block + rest[place:]
    assert shifted_distance(masks, columns, start, length, target, bits, totals) == distance(moved, reference)
