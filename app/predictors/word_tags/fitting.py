"""Fitting the two random fields of a word tagger to tagged segments, and measuring one on others."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.arrays import Int8s
from app.features import Evidence, Feature, PairResources, View, missing
from app.features.word_level import gap_offsets
from app.predictors.word_tags.marks import choose_marks, stored_marks
from app.predictors.word_tags.model import ConditionalRandomField, WordTagger
from app.predictors.word_tags.scores import tag_accuracy
from app.predictors.word_tags.training import TaggedPart, train_random_field

__all__ = ["TaggedView", "fit_random_fields", "fitting_features", "measured_marks", "measured_tags"]


@dataclass(frozen=True)
class TaggedView:
    """Segments with a tag (1: BAD) for each word and each gap of their translations."""

    view: View
    words: Int8s
    gaps: Int8s


def fitting_features(group: Iterable[Feature], resources: PairResources, evidence: Evidence = frozenset()) -> list[Feature]:
    """Features of a group that can be computed from resources and `evidence` side information."""
    return [feature for feature in group if missing(feature.needs, resources, evidence) is None]


def fit_random_fields(
    word_features: Sequence[Feature], gap_features: Sequence[Feature], parts: Sequence[TaggedView], seed: int
) -> tuple[ConditionalRandomField, ConditionalRandomField]:
    """The random fields of words and of gaps, trained on all parts together; InputError for parts without both tags."""
    words = train_random_field(
        "words", word_features, [TaggedPart(part.view, part.view.batch.translation.offsets, part.words) for part in parts], seed
    )
    gaps = train_random_field(
        "gaps", gap_features, [TaggedPart(part.view, gap_offsets(part.view.batch.translation), part.gaps) for part in parts], seed
    )
    return words, gaps


def measured_tags(tagger: WordTagger, view: TaggedView, data: str) -> dict[str, Any]:
    """The accuracy of a tagger on unseen segments for its card; `data` names them."""
    tags = tagger.tag(view.view)
    return {
        "data": data,
        "words": asdict(tag_accuracy(view.words, (tags.words >= tags.word_threshold).astype(np.int8))),
        "gaps": asdict(tag_accuracy(view.gaps, (tags.gaps >= tags.gap_threshold).astype(np.int8))),
    }


def measured_marks(tagger: WordTagger, view: TaggedView, data: str) -> dict[str, Any]:
    """Marks of a tagger on unseen segments for its card; `data` names them."""
    tags = tagger.tag(view.view)
    return {
        "data": data,
        "words": stored_marks(choose_marks(view.words, tags.words)),
        "gaps": stored_marks(choose_marks(view.gaps, tags.gaps)),
    }
