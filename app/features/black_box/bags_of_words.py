"""Topics, triggers and the word lexicon: a segment as a bag of words."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.lexical_links import find_links
from app.features.needs import Resource, required
from app.features.view import View, ratio
from app.resources.bags_of_words import BagsOfWords
from app.resources.bags_of_words.word_lexicon import pairs_of
from app.resources.lexical_table import LexicalTable
from app.text.batch import TokenColumn
from app.text.ragged import offsets_of

__all__ = ["BAGS_OF_WORDS"]

BAGS_OF_WORDS: Final = FeatureGroup("Topics, triggers and word lexicon", "Rubino et al. 2013, in QuEst")
BAGS: Final = Resource.BAGS_OF_WORDS
TRIGGERS: Final = "Raybaud et al. 2011, in QuEst"


def _bags(view: View) -> BagsOfWords:
    return required(view.resources.bags_of_words, BAGS)


def _topics(view: View) -> tuple[Float64s, Float64s]:
    """Shares of topics in sources and in translations; shape (n, k) each."""
    topics = _bags(view).topics
    return topics.source_shares(view.source), topics.target_shares(view.target)


def _divergence(p: Float64s, q: Float64s) -> Float64s:
    """Kullback-Leibler divergence of each row in bits; entries with a 0 add nothing."""
    mask = (p > 0) & (q > 0)
    return np.asarray(np.where(mask, p * np.log2(np.where(mask, p, 1) / np.where(mask, q, 1)), 0.0).sum(1))


def _kullback_leibler(view: View) -> Float64s:
    return _divergence(*view.cached(_topics))


def _jensen_shannon(view: View) -> Float64s:
    source, target = view.cached(_topics)
    mean = (source + target) / 2
    return (_divergence(source, mean) + _divergence(target, mean)) / 2


def _distinct(column: TokenColumn) -> TokenColumn:
    """The distinct words of each segment."""
    segments, words = pairs_of(column)
    offsets = offsets_of(np.bincount(segments, minlength=len(column)))
    return TokenColumn(column.vocabulary, words.astype(np.int32), offsets)


def _source(view: View) -> TokenColumn:
    return _distinct(view.source)


def _target(view: View) -> TokenColumn:
    return _distinct(view.target)


def _mean_weight(table: LexicalTable, words: TokenColumn, partners: TokenColumn, pairs: Int64s) -> Float64s:
    """Σ of the weights of triggers over all pairs of words, over the number of pairs; shape (n,)."""
    totals = find_links(table, words, partners).total
    return ratio(np.bincount(partners.segments, totals, len(partners)), pairs)


def _source_triggers(view: View) -> Float64s:
    words = view.cached(_source)
    return _mean_weight(_bags(view).source_triggers, words, words, words.lengths * (words.lengths - 1))


def _target_triggers(view: View) -> Float64s:
    words = view.cached(_target)
    return _mean_weight(_bags(view).target_triggers, words, words, words.lengths * (words.lengths - 1))


def _triggers(view: View) -> Float64s:
    source, target = view.cached(_source), view.cached(_target)
    return _mean_weight(_bags(view).triggers, source, target, source.lengths * target.lengths)


def _lexicon(view: View) -> Float64s:
    return np.nan_to_num(np.exp(_bags(view).lexicon.mean_log_probabilities(view.source, view.target)))


add = BAGS_OF_WORDS.add
# fmt: off
add("1300", "topic_divergence", "Kullback-Leibler divergence of the source's topics from the translation's, in bits",
    Family.ADEQUACY, _kullback_leibler, BAGS)
add("1301", "topic_js_divergence", "Jensen-Shannon divergence of the topics of source and translation, in bits", Family.ADEQUACY,
    _jensen_shannon, BAGS)
add("1302", "source_triggers", "Mean weight of triggers over ordered pairs of distinct source words", Family.COMPLEXITY,
    _source_triggers, BAGS, source=TRIGGERS)
add("1303", "target_triggers", "Mean weight of triggers over ordered pairs of the translation's distinct words", Family.FLUENCY,
    _target_triggers, BAGS, source=TRIGGERS)
add("1304", "translation_triggers", "Mean weight of triggers over pairs of a source word and a word of the translation",
    Family.ADEQUACY, _triggers, BAGS, source=TRIGGERS)
add("1400", "word_lexicon", "Geometric mean probability of the translation's known words given all source words", Family.ADEQUACY,
    _lexicon, BAGS, source="Mauser et al. 2009, in QuEst")
# fmt: on
