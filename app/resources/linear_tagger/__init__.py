"""Linear tagger and parser: log-linear models over hashed features, decoded greedily by compiled kernels."""

from app.resources.linear_tagger.model import LINEAR_TAGGER, LinearModel, load_linear_model, save_linear_model
from app.resources.linear_tagger.words import packed_words

__all__ = ["LINEAR_TAGGER", "LinearModel", "load_linear_model", "packed_words", "save_linear_model"]
