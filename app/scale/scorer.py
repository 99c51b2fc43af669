"""Predicted quality as columns."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.engine.segments import Options, Segments
from app.predictors import Card
from app.scale.batches import NewColumn
from app.scale.pair_columns import PairColumns
from app.scale.rows import TextRows

__all__ = ["Scorer"]

PARTS: Final = ("", "_low", "_high")


class Scorer(PairColumns):
    """Adds the predicted quality of translations: `out` is the score, and `out` with `_low` and `_high` the bounds of its interval.

    The column `out` with `_model` names the predictor: `model`, or the best one for `pair` and `label`. `interval` is the share of
    labels that intervals hold.
    """

    def columns(self, rows: TextRows) -> Mapping[str, NewColumn]:
        """Scores with the bounds of their intervals, and the predictor."""
        scores, model = np.full((3, len(rows.errors)), np.nan), self.model
        for numbers, segments in self.segments(rows):
            answer = self.engine.quality(segments, self.model, self.label, Options(interval=self.interval))
            model = answer.model.card.id
            scores[:, numbers] = answer.prediction.mean, answer.prediction.low, answer.prediction.high
        models = [model if error is None else None for error in rows.errors]
        return {**{f"{self.out}{part}": scores[k] for k, part in enumerate(PARTS)}, f"{self.out}_model": models}

    def card(self) -> Card:
        """The card of the predictor that answers."""
        return self.engine.answering(Segments(self.language_pair(), [], []), self.model, self.label).model.card
