"""Features of each gap of a translation: before the first word, between words, after the last."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.features.black_box.grammar import target_tags
from app.features.declaration import Column, Family, FeatureGroup, Level
from app.features.lexical_links import source_links, target_links
from app.features.needs import Resource
from app.features.view import View
from app.features.word_level.neighbour_kernels import gap_sides
from app.features.word_level.words import EDGE, own_keys, pair_codes, piece_statistics, word_scores
from app.text.batch import TokenColumn
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS

__all__ = ["GAPS", "gap_offsets"]

GAPS: Final = FeatureGroup("Gaps between words", "Logacheva et al. 2016; Assay", Level.WORD)
TARGET_LM, LEXICON, REVERSE = Resource.TARGET_LANGUAGE_MODEL, Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
# Largest count of source words between two links.
LARGEST_COUNT: Final = 4
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


def _left(view: View) -> UInt64s:
    return _at(view.cached(_sides)[0], view.cached(own_keys), EDGE)


def _right(view: View) -> UInt64s:
    return _at(view.cached(_sides)[1], view.cached(own_keys), EDGE)


def _tag_pair(view: View) -> UInt64s:
    tags = view.cached(target_tags).astype(np.uint64) + np.uint64(100)
    left, right = view.cached(_sides)
    return pair_codes(_at(left, tags, EDGE), _at(right, tags, EDGE))


def _orders(view: View) -> UInt64s:
    orders = word_scores(view).matched_orders.astype(np.uint64)
    previous = np.concatenate([[np.uint64(0)], orders[:-1]])
    # The first word follows the usual end of a segment, not the previous segment of the batch.
    previous[gap_offsets(view.target)[:-1]] = ORDER_AT_ENDS
    return np.asarray(np.uint64(3) + previous * np.uint64(8) + orders)


def _jump(view: View) -> UInt64s:
    """Order of the source places of the linked words on both sides, and number of source words between."""
    place = view.cached(target_links).place.astype(np.int64)
    left, right = view.cached(_sides)
    a, b = _at(left, place, -2), _at(right, place, -2)
    distance = np.clip(b - a, -LARGEST_COUNT, LARGEST_COUNT) + LARGEST_COUNT
    link_mask = (a >= 0) & (b >= 0)
    # Without two links: sides with a link, without a link, and edges.
    boundary_kind = 3 * np.clip(a + 2, 0, 2) + np.clip(b + 2, 0, 2)
    return np.asarray(np.where(link_mask, distance + 20, boundary_kind).astype(np.uint64))


def _unexplained(view: View) -> UInt64s:
    """Source words without a link just after the left word's source word or just before the right word's."""
    source = view.source
    lonely = np.concatenate([view.cached(source_links).place < 0, [False]])
    place, segments = view.cached(target_links).place.astype(np.int64), view.target.segments
    absolute = np.where(place >= 0, source.offsets[:-1][segments] + place, -1)
    left, right = view.cached(_sides)
    after, before = _at(left, absolute, -1) + 1, _at(right, absolute, -1) - 1
    owner = np.repeat(np.arange(len(view)), view.target.lengths + 1)
    inside_after = (after > 0) & (after < source.offsets[1:][owner])
    inside_before = (before >= 0) & (before >= source.offsets[:-1][owner])
    source_mask = inside_after & lonely[np.where(inside_after, after, len(lonely) - 1)]
    two = inside_before & lonely[np.where(inside_before, before, len(lonely) - 1)]
    return np.asarray(source_mask.astype(np.uint64) * np.uint64(2) + two.astype(np.uint64) + np.uint64(30))


def _source_between(view: View) -> UInt64s:
    """The source word just after the left word's source word."""
    source = view.source
    keys = source.hashes[source.ids]
    place, segments = view.cached(target_links).place.astype(np.int64), view.target.segments
    absolute = np.where(place >= 0, source.offsets[:-1][segments] + place, -2)
    left_sides, _ = view.cached(_sides)
    after = _at(left_sides, absolute, -2) + 1
    owner = np.repeat(np.arange(len(view)), view.target.lengths + 1)
    inside = (after >= 0) & (after < source.offsets[1:][owner])
    out = np.full(len(after), EDGE, np.uint64)
    out[inside] = keys[after[inside]]
    return out


def _piece(side: int) -> Column:
    def column(view: View) -> Float64s:
        values: Float64s = _at(view.cached(_sides)[side], view.cached(piece_statistics)[:, 0], 0.0)
        return values

    return column


add = GAPS.add
F, A, C = Family.FLUENCY, Family.ADEQUACY, Family.CONFIDENCE
# fmt: off
add("gap.always", "gap_always", "The same for every gap", F, lambda v: np.full(len(v.target.ids) + len(v), EDGE, np.uint64))
add("gap.left", "gap_left", "The word before the gap", F, lambda v: v.cached(_left))
add("gap.right", "gap_right", "The word after the gap", F, lambda v: v.cached(_right))
add("gap.pair", "gap_pair", "The words on both sides of the gap", F, lambda v: pair_codes(v.cached(_left), v.cached(_right)))
add("gap.tags", "gap_tags", "The parts of speech on both sides of the gap", F, _tag_pair, Resource.TARGET_TAGGER)
add("gap.log_prob", "gap_log_prob", "Log10 probability of the word after the gap, or of the end", F,
    lambda v: word_scores(v).log_prob, TARGET_LM)
add("gap.orders", "gap_orders", "Orders of the n-grams that the language model knows on both sides of the gap", F, _orders,
    TARGET_LM)
add("gap.jump", "gap_jump", "How the source places of the linked words on both sides follow each other", A, _jump, LEXICON)
add("gap.unexplained", "gap_unexplained", "Source words without a link next to those of the words on both sides", A, _unexplained,
    LEXICON, REVERSE)
add("gap.source", "gap_source", "The source word after that of the word before the gap", A, _source_between, LEXICON)
add("gap.length_ratio", "gap_length_ratio", "Tokens of the translation per source token", A,
    lambda v: np.repeat(v.target.lengths / np.maximum(v.source.lengths, 1), v.target.lengths + 1))
add("gap.nmt_left", "gap_nmt_left", "Lowest log-probability of the pieces of the word before the gap", C, _piece(0), TOKENS,
    TOKEN_LOG_PROBS)
add("gap.nmt_right", "gap_nmt_right", "Lowest log-probability of the pieces of the word after the gap", C, _piece(1),
    TOKENS, TOKEN_LOG_PROBS)
# fmt: on
