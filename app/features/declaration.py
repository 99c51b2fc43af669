"""Declarations of features: one line each, with needs and computation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.features.needs import Need
from app.features.view import View

__all__ = ["Column", "Family", "Feature", "FeatureGroup", "Level"]


class Family(StrEnum):
    """Aspect of quality that a feature measures."""

    COMPLEXITY = "complexity"
    FLUENCY = "fluency"
    ADEQUACY = "adequacy"
    CONFIDENCE = "confidence"


class Level(StrEnum):
    """Unit of text that a feature describes."""

    SENTENCE = "sentence"
    DOCUMENT = "document"
    WORD = "word"


Column = Callable[[View], Float64s | Int64s | UInt64s]


@dataclass(frozen=True)
class Feature:
    """A declared feature: QuEst's number (or a name of Assay's) as id, a description, and its column for a batch."""

    id: str
    name: str
    description: str
    family: Family
    source: str
    needs: tuple[Need, ...]
    compute: Column = field(repr=False, compare=False)
    level: Level = Level.SENTENCE

    def column(self, view: View) -> Float64s:
        """Values for the batch of `view`, one per segment, or a single one at the level of documents."""
        return np.asarray(self.compute(view), np.float64)


class FeatureGroup:
    """Features of one kind: declared by `add`, iterated in that order."""

    def __init__(self, title: str, source: str, level: Level = Level.SENTENCE) -> None:
        self.title = title
        self.level = level
        self._source = source
        self._features: list[Feature] = []

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def add(
        self, feature_id: str, name: str, description: str, family: Family, compute: Column, *needs: Need, source: str | None = None
    ) -> None:
        """Declare a feature; `compute` gives its column, sharing values with other features through ``View.cached``."""
        self._features.append(Feature(feature_id, name, description, family, source or self._source, needs, compute, self.level))
