"""Unrelated translations: texts with worse readings of a cross-encoder than nearly all translations have.

A weighted sum of its readings separates translations from translations of other sources, with limits by pair and language
(`python -m scripts.encoder.unrelated`). The network has read the texts for the score, so the warning costs nothing more.
"""

from typing import Final

import numpy as np

from app.arrays import Bools
from app.checks.declarations import SegmentWarning
from app.features.cross_encoder import computed_readings
from app.features.view import View

__all__ = ["FEWEST_PIECES", "MOST_PIECES", "unrelated_translations"]

# Names and labels have fewer pieces than this; free translations of them share little with the source.
FEWEST_PIECES: Final = 5
# Limits are those of sentences: the network cuts long texts.
MOST_PIECES: Final = 200


def unrelated_translations(view: View) -> list[tuple[SegmentWarning, ...]]:
    """The warning of each unrelated translation; none without readings of a cross-encoder."""
    mask = _mask(view)
    if mask is None:
        return [() for _ in range(len(view))]
    return [(SegmentWarning("unrelated", severity="error"),) if is_unrelated else () for is_unrelated in mask.tolist()]


def _mask(view: View) -> Bools | None:
    columns, reader = computed_readings(view), view.resources.cross_encoder
    if columns is None or reader is None:
        return None
    relation = reader.relation
    limit = relation.limit(view.batch.pair)
    if limit is None or not relation.weights.keys() <= columns.keys():
        return None
    shorter, longer = (bound(columns["source"], columns["target"]) for bound in (np.minimum, np.maximum))
    score = np.sum([columns[name] * weight for name, weight in relation.weights.items()], axis=0)
    return np.asarray((shorter >= FEWEST_PIECES) & (longer <= MOST_PIECES) & (score < limit))
