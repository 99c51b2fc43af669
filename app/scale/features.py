"""Features as columns, and tags of words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.features import FeatureSet, exact_set, feature_set
from app.predictors import Card
from app.predictors.word_tags.model import WordTagCard
from app.scale.batches import NewColumn
from app.scale.pair_columns import PairColumns
from app.scale.rows import TextRows
from app.text.side_information import NO_SIDE_INFORMATION

__all__ = ["Features", "Words"]


@dataclass(frozen=True)
class Features(PairColumns):
    """Adds a column for each feature of a set, `out` with ``.`` and the feature's id, or for those of the predictor `model`."""

    out: str = "assay"
    feature_set: str = "quest-baseline-17"

    def columns(self, rows: TextRows) -> Mapping[str, NewColumn]:
        """Values of the features that can be computed for the pair."""
        features, pair = self._set(), self.language_pair()
        ids = [feature.id for feature in self.engine.check_feature_set(pair, features, NO_SIDE_INFORMATION.evidence)]
        values = np.full((len(ids), len(rows.errors)), np.nan)
        for numbers, segments in self.segments(rows):
            matrix = self.engine.features(segments, features, self.model)
            values[:, numbers] = matrix.values.T
        return {f"{self.out}.{name}": values[k] for k, name in enumerate(ids)}

    def card(self) -> Card | None:
        """The card of the predictor of the features, if there is one."""
        self.columns(TextRows.empty(2))
        return None if self.model is None else self.engine.models[self.model].card

    def _set(self) -> FeatureSet:
        if self.model is None:
            return feature_set(self.feature_set)
        return exact_set(self.model, self.engine.models[self.model].card.features)


@dataclass(frozen=True)
class Words(PairColumns):
    """Adds the words of translations with a tag each: `out` with `_words`, `_tags` (OK or BAD) and `_marks`.

    All three are joined by blanks. A mark is ``wrong``, ``possible`` or ``-``; its precision was measured for the tagger.
    """

    out: str = "assay"

    def columns(self, rows: TextRows) -> Mapping[str, NewColumn]:
        """Words, tags and marks."""
        texts: list[list[str | None]] = [[None] * len(rows.errors) for _ in range(3)]
        self.card()
        for numbers, segments in self.segments(rows):
            answer = self.engine.word_tags(segments, self.model)
            tags, offsets = answer.tags, answer.tags.word_offsets.tolist()
            names = np.where(tags.words >= tags.word_threshold, "BAD", "OK")
            marks = np.where(tags.wrong_words, "wrong", np.where(tags.possible_words, "possible", "-"))
            for place, row in enumerate(numbers.tolist()):
                part = slice(offsets[place], offsets[place + 1])
                texts[0][row] = " ".join(answer.words.tokens(place))
                texts[1][row], texts[2][row] = " ".join(names[part]), " ".join(marks[part])
        return {f"{self.out}_{name}": column for name, column in zip(("words", "tags", "marks"), texts, strict=True)}

    def card(self) -> WordTagCard:
        """The card of the word tagger that answers."""
        return self.engine.word_tagger_for(self.language_pair(), self.model, NO_SIDE_INFORMATION.evidence).card
