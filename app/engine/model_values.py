"""The features of a model, computed of a view."""

from typing import Final

from app.arrays import Float64s
from app.features import CheckpointNeed, Resource, View, exact_set, features_of_view
from app.features.black_box.grammar import begin_tagging
from app.features.encoded import begin_encoding, cut_rows
from app.features.neural import checkpoint_cuts
from app.predictors import Model

__all__ = ["checkpoints_of", "model_values", "rows_cut"]

# Needs of features that are computed from tags.
TAGGING: Final = frozenset({Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.WORD_TAGGER, Resource.NMT_WORD_TAGGER})


def model_values(model: Model, view: View) -> Float64s:
    """Values of the model's features in the order of its card; shape (n, k)."""
    features = exact_set(model.card.id, model.card.features)
    if TAGGING.intersection(features.needs):
        begin_tagging(view)
    if Resource.ENCODER in features.needs:
        begin_encoding(view)
    return features_of_view(view, features, strict=True).values


def checkpoints_of(model: Model) -> list[str]:
    """Names of the checkpoints that score segments for a model."""
    return [need.name for need in model.needs if isinstance(need, CheckpointNeed)]


def rows_cut(model: Model, view: View) -> frozenset[int]:
    """Rows of segments that the model's encoder or checkpoints read only in part."""
    cut = cut_rows(view) if Resource.ENCODER in model.needs else frozenset()
    return cut.union(*(checkpoint_cuts(view, name) for name in checkpoints_of(model)))
