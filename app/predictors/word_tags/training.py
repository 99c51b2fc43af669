"""Training a word tagger: bin edges from the training numbers, AdaGrad on the likelihood, thresholds on held-out rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int8s, Int64s
from app.errors import InputError
from app.features import Feature, View
from app.predictors.word_tags.buckets import bin_edges, columns_of, feature_buckets
from app.predictors.word_tags.model import ConditionalRandomField
from app.predictors.word_tags.random_field_kernels import emission_scores, marginals, train_epoch
from app.predictors.word_tags.scores import best_threshold

__all__ = ["TaggedPart", "train_random_field"]

BUCKETS: Final = {"words": 1 << 17, "gaps": 1 << 15}
# Few and small steps: more raise the likelihood of training rows and lower that of other rows.
EPOCHS: Final = 3
RATE: Final = 0.02
# Every fifth segment chooses the threshold, and then trains too.
HELD_OUT: Final = 5


@dataclass(frozen=True)
class TaggedPart:
    """A view of a batch, the offsets of each segment's positions, and the tag of each position: 1 is BAD."""

    view: View
    offsets: Int64s
    tags: Int8s


def train_random_field(kind: str, features: Sequence[Feature], parts: Sequence[TaggedPart], seed: int) -> ConditionalRandomField:
    """Train the random field of ``words`` or ``gaps`` on all parts together.

    InputError for unequal numbers of tags and positions, and for equal tags.
    """
    tags = np.concatenate([part.tags for part in parts])
    if any(part.offsets[-1] != len(part.tags) for part in parts):
        raise InputError("invalid-training-data", "there must be one tag for each word, and one for each gap")
    if tags.min(initial=1) == tags.max(initial=0):
        raise InputError("invalid-training-data", "all tags are equal; nothing can be learned")
    columns = [np.concatenate(values) for values in zip(*(columns_of(features, part.view) for part in parts), strict=True)]
    edges = bin_edges(features, columns)
    buckets = feature_buckets(features, columns, edges, BUCKETS[kind])
    begins = np.concatenate([[0], np.cumsum([len(part.tags) for part in parts])])
    offsets = np.concatenate([[0], *(part.offsets[1:] + begin for part, begin in zip(parts, begins, strict=False))]).astype(
        np.int64
    )
    segments = np.arange(len(offsets) - 1)

    def fit(rows: Int64s) -> tuple[np.ndarray, Float64s]:
        rng = np.random.default_rng(seed)
        weights, squares = np.zeros(BUCKETS[kind], np.float32), np.full(BUCKETS[kind], 1e-4, np.float32)
        transitions, transition_squares = np.zeros((2, 2)), np.full((2, 2), 1e-4)
        for _ in range(EPOCHS):
            order = rng.permutation(rows)
            train_epoch(buckets, tags, offsets, order, weights, squares, transitions, transition_squares, RATE)
        # Measured in half precision, as files store it.
        return weights.astype(np.float16).astype(np.float32), transitions

    held_segments = segments[segments % HELD_OUT == 0]
    weights, transitions = fit(segments[segments % HELD_OUT != 0])
    probabilities = marginals(emission_scores(buckets, weights), offsets, transitions)
    mask = np.repeat(segments % HELD_OUT == 0, np.diff(offsets))
    threshold = best_threshold(tags[mask], probabilities[mask]) if len(held_segments) else 0.5
    weights, transitions = fit(segments)
    return ConditionalRandomField(tuple(features), edges, weights, transitions, threshold)
