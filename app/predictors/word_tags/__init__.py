"""OK and BAD for every word and gap of a translation: a linear chain over hashed features."""

from app.predictors.word_tags.model import WordTagger, WordTags, load_word_tagger, read_word_card, save_word_tagger

__all__ = ["WordTagger", "WordTags", "load_word_tagger", "read_word_card", "save_word_tagger"]
