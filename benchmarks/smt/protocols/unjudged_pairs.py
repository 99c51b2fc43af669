"""Pairs of hypotheses that nobody has judged, for a metric that trains itself before it is tuned towards.

A metric that was trained on judged systems never saw what tuning makes of lists. It labels pairs drawn from these lists by itself,
and is trained again with them (Stanojević's thesis, chapter 6, Table 6.4): `unjudged` of `train_linear_metric`.
"""

from collections.abc import Sequence

import numpy as np

from app.errors import InputError
from app.text.n_best import NBestLists

__all__ = ["draw_unjudged_pairs"]


def draw_unjudged_pairs(lists: NBestLists, references: Sequence[str], count: int, seed: int) -> list[tuple[str, str, str]]:
    """At most `count` triples of a hypothesis, another of the same list with other words, and the reference, drawn uniformly.

    A segment is drawn first, then two of its hypotheses. InputError where no list has two texts.
    """
    if len(references) != len(lists):
        detail = f"there are lists of {len(lists)} segments, but {len(references)} references"
        raise InputError("unequal-lengths", detail, ("references",))
    texts = [list(dict.fromkeys(lists.texts[h] for h in row)) for row in lists]
    usable = [segment for segment, row in enumerate(texts) if len(row) > 1]
    if not usable:
        raise InputError("empty-input", "no list has two hypotheses with different words", ("n_best",))
    rng = np.random.default_rng(seed)
    triples: dict[tuple[str, str, str], None] = {}
    for segment in rng.choice(usable, count).tolist():
        row = texts[segment]
        one, other = rng.choice(len(row), 2, replace=False).tolist()
        triples[row[one], row[other], references[segment]] = None
    return list(triples)
