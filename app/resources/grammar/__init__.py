"""Probabilistic context-free grammars: likelihoods of sentences, their best trees, and numbers of phrases."""

from app.resources.grammar.model import GRAMMAR, Grammar, Parses, load_grammar, save_grammar
from app.resources.grammar.symbols import ANY_WORD, TAG_MARK, word_class

__all__ = ["ANY_WORD", "GRAMMAR", "TAG_MARK", "Grammar", "Parses", "load_grammar", "save_grammar", "word_class"]
