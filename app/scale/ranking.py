"""The best of several translations as a column."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from app.engine.segments import Segments
from app.predictors import Card
from app.scale.batches import NewColumn
from app.scale.pair_columns import CHUNK, TextColumns
from app.scale.rows import TextRows

__all__ = ["Ranking"]


@dataclass(frozen=True)
class Ranking(TextColumns):
    """Adds the predicted quality of each of `systems`, columns of translations by name, and the name of the best one.

    Columns are `out` with ``.`` and the name, and `out` with ``_best``, ``_model`` and ``_error``. Of equal ones the first counts.
    """

    out: str = "assay"
    systems: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns of the source and of all systems."""
        return tuple(dict.fromkeys((self.src, *self.systems.values())))

    def card(self) -> Card:
        """The card of the predictor that answers."""
        return self.engine.answering(Segments(self.language_pair(), [], []), self.model, self.label).model.card

    def columns(self, rows: TextRows) -> Mapping[str, NewColumn]:
        """Scores by system, the best system, and the predictor."""
        pair, texts = self.language_pair(), dict(zip(self.texts, rows.columns, strict=True))
        scores = np.full((len(self.systems), len(rows.errors)), np.nan)
        best: list[str | None] = [None] * len(rows.errors)
        models = list(best)
        names = list(self.systems)
        for begin in range(0, len(rows.numbers), CHUNK):
            part = slice(begin, begin + CHUNK)
            numbers = rows.numbers[part]
            for place, column in enumerate(self.systems.values()):
                segments = Segments(pair, texts[self.src][part], texts[column][part])
                answer = self.engine.quality(segments, self.model, self.label)
                scores[place, numbers] = answer.prediction.mean
            is_higher_better = answer.model.label.higher_is_better
            places = (scores[:, numbers] if is_higher_better else -scores[:, numbers]).argmax(0)
            for row, place in zip(numbers.tolist(), places.tolist(), strict=True):
                best[row], models[row] = names[place], answer.model.card.id
        columns: dict[str, NewColumn] = {f"{self.out}.{name}": scores[place] for place, name in enumerate(names)}
        return {**columns, f"{self.out}_best": best, f"{self.out}_model": models}
