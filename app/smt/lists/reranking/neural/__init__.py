"""Small networks without recurrence for scores of hypotheses: a translation model with attention, and a language model."""

from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel
from app.smt.lists.reranking.neural.continuous_space_training import train_continuous_space
from app.smt.lists.reranking.neural.model import TranslationModel
from app.smt.lists.reranking.neural.training import train_translation_model

__all__ = ["ContinuousSpaceModel", "TranslationModel", "train_continuous_space", "train_translation_model"]
