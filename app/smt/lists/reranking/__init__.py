"""Reranking of n-best lists: additional features of hypotheses, and the order by weights."""

from app.smt.lists.reranking.columns import COLUMNS, SETS, THESIS, Column, column_named, specs_of, with_features, with_values
from app.smt.lists.reranking.distinct import distinct_places, kept
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.ordering import Reordered, moved, of_votes, reorder, unused_weights, votes
from app.smt.lists.reranking.rerankers import RERANKERS, Reranker, train_reranker, uniform_weights
from app.smt.lists.reranking.scaled_features import SCALINGS, Scaling, scaling_of
from app.smt.lists.reranking.word_lexicon import WordLexicon, train_word_lexicon

__all__ = [
    "COLUMNS",
    "RERANKERS",
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
