"""Training of topics, triggers and a word lexicon on parallel text."""

from app.building.bags_of_words.training import train_bags_of_words

__all__ = ["train_bags_of_words"]
