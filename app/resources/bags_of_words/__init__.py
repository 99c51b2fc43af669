"""Models of segments as bags of words, trained on parallel text of a pair: topics, triggers, and a word lexicon."""

from app.resources.bags_of_words.bags import BagsOfWords
from app.resources.bags_of_words.topic_model import TopicModel, TopicWords
from app.resources.bags_of_words.word_lexicon import WordLexicon

__all__ = ["BagsOfWords", "TopicModel", "TopicWords", "WordLexicon"]
