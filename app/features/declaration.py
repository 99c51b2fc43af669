"""What a feature is, and the catalogue of all of them."""

from dataclasses import dataclass
from enum import StrEnum

from app.text.arrays import Float64s

__all__ = ["Feature", "FeatureMatrix", "Need"]


class Need(StrEnum):
    """What must be there for a feature to be computed."""

    SOURCE_LANGUAGE_MODEL = "source language model"
    TARGET_LANGUAGE_MODEL = "target language model"
    SOURCE_NGRAM_COUNTS = "source n-gram counts"
    LEXICAL_TABLE = "lexical table"
    TOKEN_LOG_PROBS = "token log-probabilities"  # noqa: S105


@dataclass(frozen=True)
class Feature:
    """One declared feature: QuEst's number (or a name of ours) as id, and what it is."""

    id: str
    name: str
    description: str
    family: str
    source: str
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class FeatureMatrix:
    """Values of shape (n, k), finite, with the k declared features in column order."""

    features: tuple[Feature, ...]
    values: Float64s
