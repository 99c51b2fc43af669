"""A small neural translation model, which scores hypotheses: windows of words and attention, without recurrence."""

from app.ranking.reranking.neural.model import TranslationModel
from app.ranking.reranking.neural.training import train_translation_model

__all__ = ["TranslationModel", "train_translation_model"]
