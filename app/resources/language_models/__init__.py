"""Back-off language models in the files that KenLM reads: tries by a compiled kernel here, all others by KenLM itself."""

from app.resources.language_models.opening import open_language_model
from app.resources.language_models.scores import LanguageModel, SentenceScores, WordScores

__all__ = ["LanguageModel", "SentenceScores", "WordScores", "open_language_model"]
