"""Reranking: more features of the hypotheses of n-best lists than a decoder had, and the order that weights give."""

from app.ranking.reranking.columns import COLUMNS, SETS, THESIS, Column, column_named, specs_of, with_features, with_values
from app.ranking.reranking.distinct import distinct_places, kept
from app.ranking.reranking.evidence import RerankingResources
from app.ranking.reranking.ordering import Reordered, moved, of_votes, reorder, unused_weights, votes
from app.ranking.reranking.recipes import RECIPES, Reranker, train_reranker, uniform_weights
from app.ranking.reranking.scaled_features import SCALINGS, Scaling, scaling_of
from app.ranking.reranking.word_lexicon import WordLexicon, train_word_lexicon

__all__ = [
    "COLUMNS",
    "RECIPES",
    "SCALINGS",
    "SETS",
    "THESIS",
    "Column",
    "Reordered",
    "Reranker",
    "RerankingResources",
    "Scaling",
    "WordLexicon",
    "column_named",
    "distinct_places",
    "kept",
    "moved",
    "of_votes",
    "reorder",
    "scaling_of",
    "specs_of",
    "train_reranker",
    "train_word_lexicon",
    "uniform_weights",
    "unused_weights",
    "votes",
    "with_features",
    "with_values",
]
