"""Stop words, numerals and repetition: QuEst's word-level confidence features as counts of segments."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import Attribute, segment_sums, word_attributes
from app.features.needs import Resource, required
from app.features.view import View, ratio
from app.resources.ngram_counts import NgramCounts
from app.text.batch import TokenColumn

__all__ = ["WORD_COUNTS"]

WORD_COUNTS: Final = FeatureGroup("Stop words, numerals and repetition", "Luong et al. 2013, in QuEst")
SOURCE_COUNTS, TARGET_COUNTS = Resource.SOURCE_NGRAM_COUNTS, Resource.TARGET_NGRAM_COUNTS


def _stop_words(column: TokenColumn, counts: NgramCounts) -> Float64s:
    """Number of tokens of letters that are as frequent as the corpus' hundredth most frequent token; shape (n,)."""
    frequent = counts.word_frequencies(column.hashes) >= max(1, counts.stop_frequency)
    words = frequent & (word_attributes(column)[:, Attribute.NOT_ALPHABETIC] == 0)
    return np.asarray(segment_sums(words[:, None].astype(np.int64), column.ids, column.offsets)[:, 0])


def _source_stop_words(view: View) -> Float64s:
    return _stop_words(view.source, required(view.resources.source_counts, SOURCE_COUNTS))


def _target_stop_words(view: View) -> Float64s:
    return _stop_words(view.target, required(view.resources.target_counts, TARGET_COUNTS))


def _numerals(column: TokenColumn) -> Float64s:
    numbers = word_attributes(column)[:, [Attribute.NUMBER]]
    return np.asarray(segment_sums(numbers, column.ids, column.offsets)[:, 0])


def _source_numerals(view: View) -> Float64s:
    return _numerals(view.source)


def _target_numerals(view: View) -> Float64s:
    return _numerals(view.target)


def _occurrences(column: TokenColumn) -> Float64s:
    """Mean over the tokens of a segment of their occurrences in it; shape (n,), 0 for an empty segment."""
    width = max(1, len(column.vocabulary))
    keys, counts = np.unique(column.segments * width + column.ids, return_counts=True)
    return ratio(np.bincount(keys // width, counts**2, len(column)), column.lengths)


add = WORD_COUNTS.add
# fmt: off
add("5000", "target_stop_words", "Number of stop words in the translation: letters, and among the 100 most frequent tokens",
    Family.FLUENCY, lambda v: v.cached(_target_stop_words), TARGET_COUNTS)
add("5001", "source_stop_words", "Number of stop words in the source: letters, and among the 100 most frequent tokens",
    Family.COMPLEXITY, lambda v: v.cached(_source_stop_words), SOURCE_COUNTS)
add("5002", "stop_word_ratio", "Stop words of the translation per stop word of the source", Family.ADEQUACY,
    lambda v: ratio(v.cached(_target_stop_words), v.cached(_source_stop_words)), SOURCE_COUNTS, TARGET_COUNTS)
add("5003", "target_numerals", "Number of numbers in the translation", Family.FLUENCY, lambda v: v.cached(_target_numerals))
add("5004", "source_numerals", "Number of numbers in the source", Family.COMPLEXITY, lambda v: v.cached(_source_numerals))
add("5005", "numeral_ratio", "Numbers of the translation per number of the source", Family.ADEQUACY,
    lambda v: ratio(v.cached(_target_numerals), v.cached(_source_numerals)))
add("5006", "target_occurrences", "Mean occurrences in the translation of each of its tokens", Family.FLUENCY,
    lambda v: _occurrences(v.target))
add("5007", "source_occurrences", "Mean occurrences in the source of each of its tokens", Family.COMPLEXITY,
    lambda v: _occurrences(v.source))
# fmt: on
