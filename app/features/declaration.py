"""What a feature is: declared once, in one line, with what it needs and how it is computed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.text.side_information import KINDS, Kind

if TYPE_CHECKING:
    from app.features.view import View

__all__ = [
    "NEEDS",
    "CheckpointNeed",
    "Column",
    "Family",
    "Feature",
    "FeatureGroup",
    "Level",
    "Need",
    "Resource",
    "in_order",
    "need_called",
]


class Resource(StrEnum):
    """What must be loaded for the language pair for a feature to be computed."""

    SOURCE_LANGUAGE_MODEL = "source language model"
    TARGET_LANGUAGE_MODEL = "target language model"
    SOURCE_NGRAM_COUNTS = "source n-gram counts"
    LEXICAL_TABLE = "lexical table"
    REVERSE_LEXICAL_TABLE = "lexical table from target to source"
    SOURCE_TAGGER = "source tagger"
    TARGET_TAGGER = "target tagger"
    SOURCE_PARSER = "source parser"
    TARGET_PARSER = "target parser"
    TARGET_TAG_MODEL = "language model of target parts of speech"
    CORPUS_INDEX = "index of training segments"
    WORD_TAGGER = "word tagger"
    NMT_WORD_TAGGER = "word tagger for tokens of the MT system"
    ENCODER = "encoder of sentences"
    SENTENCE_JUDGE = "judge of encoded sentences"


@dataclass(frozen=True)
class CheckpointNeed:
    """A checkpoint of ASSAY_CHECKPOINTS that scores a translation beside its source alone, whatever the language pair."""

    name: str

    def __str__(self) -> str:
        return f"checkpoint {self.name}"


Need = Resource | Kind[Any] | CheckpointNeed
"""What must be there for a feature to be computed: loaded for the language pair or any, or given with the segments."""
NEEDS: Final[tuple[Need, ...]] = (*Resource, *KINDS)
"""All but checkpoints, which are whatever users have."""


def in_order(needs: Iterable[Need]) -> tuple[Need, ...]:
    """Each need once, in the order of `NEEDS`, checkpoints behind them by name."""
    wanted = set(needs)
    checkpoints = sorted((need for need in wanted if isinstance(need, CheckpointNeed)), key=str)
    return (*(need for need in NEEDS if need in wanted), *checkpoints)


def need_called(words: str) -> Need:
    """The need that these words say; ValueError where none does."""
    for need in NEEDS:
        if str(need) == words:
            return need
    raise ValueError(words)


class Family(StrEnum):
    """What a feature says something about."""

    COMPLEXITY = "complexity"
    FLUENCY = "fluency"
    ADEQUACY = "adequacy"
    CONFIDENCE = "confidence"


class Level(StrEnum):
    """What a feature describes."""

    SENTENCE = "sentence"
    DOCUMENT = "document"
    WORD = "word"


Column = Callable[["View"], Float64s | Int64s | UInt64s]


@dataclass(frozen=True)
class Feature:
    """One declared feature: QuEst's number (or a name of ours) as id, what it is, and its column for a batch."""

    id: str
    name: str
    description: str
    family: Family
    source: str
    needs: tuple[Need, ...]
    compute: Column = field(repr=False, compare=False)
    level: Level = Level.SENTENCE

    def column(self, view: "View") -> Float64s:
        """Its values for the batch of `view`: finite, one per segment (or one in all at the level of documents)."""
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
        self,
        feature_id: str,
        name: str,
        description: str,
        family: Family,
        compute: Column,
        *needs: Need,
        source: str | None = None,
    ) -> None:
        """Declare a feature; `compute` gives its column, sharing what others also need through ``View.once``."""
        self._features.append(Feature(feature_id, name, description, family, source or self._source, needs, compute, self.level))
