"""A reader of pairs of tests, whose pieces are words."""

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from app.predictors.cross_encoder import CrossReading
from app.predictors.cross_encoder.relation import Relation
from app.running.threads.spreading import Spreading
from app.text import LanguagePair

__all__ = ["HashedReader"]


@dataclass(frozen=True)
class HashedReader:
    """Probabilities follow from the words alone."""

    languages: frozenset[str] = frozenset()
    relation: Relation = field(default_factory=Relation)
    spreading: Spreading = field(default_factory=Spreading)

    def reading(self, pair: LanguagePair, source: str, translation: str) -> CrossReading:
        of_source, of_target = (
            np.array([crc32(word.encode()) % 1000 / 1000 for word in text.split()], np.float32) for text in (source, translation)
        )
        means = [float(side.mean()) if len(side) else 0.0 for side in (of_source, of_target)]
        labels = np.array([*means, len(of_source), len(of_target)], np.float64)
        target = np.stack([of_target**power for power in (1, 2, 3, 4)], axis=1)
        return CrossReading(labels, target, of_source, translation.split(), source.split(), is_cut=False)
