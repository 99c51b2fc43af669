"""Features of each gap of a translation: before the first word, between words, after the last."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.features.declaration import Column, Family, FeatureGroup, Level
from app.features.lexical_links import source_links, target_links
from app.features.needs import Resource
from app.features.view import View
from app.features.word_level.keys import EDGE, Key, KeyPair
from app.features.word_level.neighbour_kernels import gap_sides, places_behind_links
from app.features.word_level.word_kernels import jump_codes, order_codes, unexplained_codes
from app.features.word_level.words import own_keys, piece_statistics, source_keys, tag_keys, word_scores
from app.text.batch import TokenColumn
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS

__all__ = ["GAPS", "gap_offsets"]

GAPS: Final = FeatureGroup("Gaps between words", "Logacheva et al. 2016; Assay", Level.WORD)
TARGET_LM, LEXICON, REVERSE = Resource.TARGET_LANGUAGE_MODEL, Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
# Of 4,000 segments of four language pairs, 69 in 100 end with a known trigram.
ORDER_AT_ENDS: Final = 3


def gap_offsets(column: TokenColumn) -> Int64s:
    """First gap of each segment; a segment has one gap more than words."""
    return np.asarray(column.offsets + np.arange(len(column.offsets)))


def _sides(view: View) -> tuple[Int64s, Int64s]:
    """For each gap the tokens to its left and right, -1 at the edges."""
    left, right = gap_sides(view.target.offsets)
    return left, right


def _at(tokens: Int64s, values: np.ndarray, outside: object) -> np.ndarray:
    out = np.full(len(tokens), outside, values.dtype)
    out[tokens >= 0] = values[tokens[tokens >= 0]]
    return out


def _left(view: View) -> Int64s:
    return view.cached(_sides)[0]


def _right(view: View) -> Int64s:
    return view.cached(_sides)[1]


def _behind_link(view: View) -> Int64s:
    """Place of the source word just behind the left word's source word."""
    return np.asarray(places_behind_links(view.cached(target_links).place, view.target.offsets, view.source.offsets))


def _constant(view: View) -> UInt64s:
    return np.full(len(view.target.ids) + len(view), EDGE, np.uint64)


def _orders(view: View) -> UInt64s:
    return np.asarray(order_codes(word_scores(view).matched_orders, view.target.offsets, True, ORDER_AT_ENDS))


def _jumps(view: View) -> UInt64s:
    """Order of the source places of the linked words on both sides, and number of source words between."""
    return np.asarray(jump_codes(view.cached(target_links).place, view.target.offsets))


def _unexplained(view: View) -> UInt64s:
    """Source words without a link just after the left word's source word or just before the right word's."""
    places = view.cached(target_links).place, view.target.offsets
    return np.asarray(unexplained_codes(*places, view.cached(source_links).place, view.source.offsets))


def _piece(side: int) -> Column:
    def column(view: View) -> Float64s:
        values: Float64s = _at(view.cached(_sides)[side], view.cached(piece_statistics)[:, 0], 0.0)
        return values

    return column


add = GAPS.add
F, A, C = Family.FLUENCY, Family.ADEQUACY, Family.CONFIDENCE
# fmt: off
add("gap.always", "gap_always", "The same for every gap", F, Key(_constant))
add("gap.left", "gap_left", "The word before the gap", F, Key(own_keys, _left))
add("gap.right", "gap_right", "The word after the gap", F, Key(own_keys, _right))
add("gap.pair", "gap_pair", "The words on both sides of the gap", F, KeyPair(Key(own_keys, _left), Key(own_keys, _right)))
add("gap.tags", "gap_tags", "The parts of speech on both sides of the gap", F,
    KeyPair(Key(tag_keys, _left), Key(tag_keys, _right)), Resource.TARGET_TAGGER)
add("gap.log_prob", "gap_log_prob", "Log10 probability of the word after the gap, or of the end", F,
    lambda v: word_scores(v).log_prob, TARGET_LM)
add("gap.orders", "gap_orders", "Orders of the n-grams that the language model knows on both sides of the gap", F, Key(_orders),
    TARGET_LM)
add("gap.jump", "gap_jump", "How the source places of the linked words on both sides follow each other", A, Key(_jumps), LEXICON)
add("gap.unexplained", "gap_unexplained", "Source words without a link next to those of the words on both sides", A,
    Key(_unexplained), LEXICON, REVERSE)
add("gap.source", "gap_source", "The source word after that of the word before the gap", A, Key(source_keys, _behind_link), LEXICON)
add("gap.length_ratio", "gap_length_ratio", "Tokens of the translation per source token", A,
    lambda v: np.repeat(v.target.lengths / np.maximum(v.source.lengths, 1), v.target.lengths + 1))
add("gap.nmt_left", "gap_nmt_left", "Lowest log-probability of the pieces of the word before the gap", C, _piece(0), TOKENS,
    TOKEN_LOG_PROBS)
add("gap.nmt_right", "gap_nmt_right", "Lowest log-probability of the pieces of the word after the gap", C, _piece(1),
    TOKENS, TOKEN_LOG_PROBS)
# fmt: on
