"""Unjudged pairs of hypotheses for self-training of a metric (Stanojević's thesis, chapter 6, Table 6.4).

A metric trained on judged systems does not know the outputs of tuning. It labels pairs from these lists itself, and is trained again
with them: `unjudged` of `train_linear_metric`.
"""

from collections.abc import Sequence

import numpy as np

from app.errors import InputError
from app.text.n_best import NBestLists

__all__ = ["draw_unjudged_pairs"]


def draw_unjudged_pairs(lists: NBestLists, references: Sequence[str], count: int, seed: int) -> list[tuple[str, str, str]]:
    """Draw at most `count` triples: two hypotheses of a list with different words, and the reference.

    A segment is drawn uniformly, then two of its hypotheses. InputError if no list has two texts.
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
        first, second = rng.choice(len(row), 2, replace=False).tolist()
        triples[row[first], row[second], references[segment]] = None
    return list(triples)
