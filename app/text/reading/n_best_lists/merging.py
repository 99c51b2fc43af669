"""Removal of duplicate hypotheses within a segment."""

from typing import NamedTuple

import numpy as np

from app.arrays import Int32s, Int64s
from app.text.feature_columns.sparse import SparseColumns
from app.text.n_best import NBestLists
from app.text.ragged import offsets_of
from app.text.reading.n_best_lists.row_kernels import first_of_same

__all__ = ["Distinct", "distinct"]


class Distinct(NamedTuple):
    """Lists without duplicates; the first row (h,) and the number of copies (h,) of each hypothesis."""

    lists: NBestLists
    places: Int64s
    copies: Int32s


def distinct(lists: NBestLists) -> Distinct | None:
    """Keep the first of the hypotheses of a segment with equal text and equal features; None if all differ.

    Moses' extractor compares features and the metric's statistics, which are equal for equal texts (``mert/Data.cpp``).
    """
    sparse = lists.sparse or SparseColumns((), np.zeros(len(lists.scores) + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    back = first_of_same(
        lists.offsets, lists.texts.data, lists.texts.offsets, lists.features, sparse.offsets, sparse.columns, sparse.values
    )
    if not back.any():
        return None
    copies = np.bincount(np.arange(len(back)) - back, minlength=len(back))
    firsts = np.flatnonzero(back == 0)
    counts = np.bincount(lists.segments[firsts], minlength=len(lists))
    return Distinct(lists.of_hypotheses(firsts, offsets_of(counts)), firsts, copies[firsts].astype(np.int32))
