"""What a model looks at, computed of a view."""

from typing import Final

from app.arrays import Float64s
from app.features import Resource, View, exact_set, features_of_view
from app.features.black_box.grammar import begin_tagging
from app.features.encoded import begin_encoding, cut_rows
from app.predictors import Model

__all__ = ["model_values", "rows_cut"]

# What no feature can be computed of without tags.
TAGGING: Final = frozenset({Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.WORD_TAGGER, Resource.NMT_WORD_TAGGER})


def model_values(model: Model, view: View) -> Float64s:
    """The features that a model looks at; shape (n, k)."""
    wanted = exact_set(model.card.id, model.card.features)
    if TAGGING.intersection(wanted.needs):
        begin_tagging(view)
    if Resource.ENCODER in wanted.needs:
        begin_encoding(view)
    return features_of_view(view, wanted, strict=True).values


def rows_cut(model: Model, view: View) -> frozenset[int]:
    """Segments of which an encoder that the model asks looked at the beginning alone."""
    return cut_rows(view) if Resource.ENCODER in exact_set(model.card.id, model.card.features).needs else frozenset()
