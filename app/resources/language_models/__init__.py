"""Back-off language models in the files that KenLM reads: a compiled kernel reads plain tries, KenLM the rest."""

from app.resources.language_models.opening import open_language_model
from app.resources.language_models.scores import LanguageModel, SentenceScores, WordScores

__all__ = ["LanguageModel", "SentenceScores", "WordScores", "open_language_model"]
