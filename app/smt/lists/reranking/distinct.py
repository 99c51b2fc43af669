"""Removal of hypotheses with equal texts (Srivastava's thesis 4.1; Figs. 4.2 and 4.3)."""

import numpy as np

from app.arrays import Int64s
from app.text.n_best import NBestLists
from app.text.ragged import offsets_of

__all__ = ["distinct_places", "lists_at"]


def distinct_places(lists: NBestLists) -> Int64s:
    """Return the first hypothesis of each text of each list, in order; (d,). Probabilities are not added up."""
    first: set[tuple[int, bytes]] = set()
    places = []
    data, ends = lists.texts.data.tobytes(), lists.texts.offsets.tolist()
    for h, segment in enumerate(lists.segments.tolist()):
        key = segment, data[ends[h] : ends[h + 1]]
        if key not in first:
            first.add(key)
            places.append(h)
    return np.array(places, np.int64)


def lists_at(lists: NBestLists, places: Int64s) -> NBestLists:
    """Return lists of the hypotheses at `places`, ascending; a list may become empty."""
    return lists.of_hypotheses(places, offsets_of(np.bincount(lists.segments[places], minlength=len(lists))))
