"""Counts in both texts without any resource: lengths, marks, numbers, brackets, copied words."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import BRACKETS, QUOTES, Attribute, count_distinct, segment_sums, word_attributes
from app.features.view import View, copied_tokens, part, ratio
from app.text.batch import TokenColumn

__all__ = ["SURFACE"]

SURFACE: Final = FeatureGroup("Lengths, marks and numbers", "Specia et al. 2013, QuEst")
SOURCE_OF_FEATURES: Final = "Assay"
COMPLEXITY, FLUENCY, ADEQUACY = Family.COMPLEXITY, Family.FLUENCY, Family.ADEQUACY
MARK_NAMES: Final = ("full stops", "commas", "colons", "semicolons", "question marks", "exclamation marks")
MARK_IDS: Final = ("full_stops", "commas", "colons", "semicolons", "question_marks", "exclamation_marks")


def _sums(column: TokenColumn) -> Float64s:
    sums: Float64s = segment_sums(word_attributes(column), column.ids, column.offsets)
    return sums


def _source(view: View) -> Float64s:
    return _sums(view.source)


def _target(view: View) -> Float64s:
    return _sums(view.target)


def _marks(side: Float64s) -> Float64s:
    return side[:, Attribute.MARKS : Attribute.MARKS + len(MARK_NAMES)]


def _punctuation(side: Float64s) -> Float64s:
    return np.asarray(_marks(side).sum(1))


def _unbalanced(view: View) -> Float64s:
    """|openings - closings| of each kind of bracket and quotation mark in the translation; shape (n, 8)."""
    sums = view.cached(_target)
    width = len(BRACKETS) + len(QUOTES)
    opening, closing = (sums[:, begin : begin + width] for begin in (Attribute.OPENING, Attribute.CLOSING))
    out = np.abs(opening - closing)
    out[:, -1] %= 2  # quotation marks without direction
    return out


def _mark_differences(view: View) -> Float64s:
    return np.abs(_marks(view.cached(_source)) - _marks(view.cached(_target)))


def _mark_difference_shares(view: View) -> Float64s:
    return ratio(view.cached(_mark_differences), view.target.lengths)


def _distinct(column: TokenColumn) -> Int64s:
    distinct: Int64s = count_distinct(column.ids, column.offsets, len(column.vocabulary))
    return distinct


def _share(view: View, side: str, column: int) -> Float64s:
    sums, lengths = (view.cached(_source), view.source.lengths) if side == "source" else (view.cached(_target), view.target.lengths)
    return ratio(sums[:, column], lengths)


def _copied(view: View) -> Float64s:
    """Share of the translation's alphabetic words of two or more characters that also stand in the source."""
    attributes = word_attributes(view.target)
    per_word = (attributes[:, Attribute.CHARACTERS] > 1) & (attributes[:, Attribute.NOT_ALPHABETIC] == 0)
    word_mask, segments, n = per_word[view.target.ids], view.target.segments, len(view)
    hit = word_mask & view.cached(copied_tokens)
    return ratio(np.bincount(segments[hit], minlength=n), np.bincount(segments[word_mask], minlength=n))


add = SURFACE.add
# fmt: off
add("1001", "source_tokens", "Number of tokens in the source", COMPLEXITY, lambda v: v.source.lengths)
add("1002", "target_tokens", "Number of tokens in the translation", FLUENCY, lambda v: v.target.lengths)
add("1003", "source_target_ratio", "Source tokens per token of the translation", ADEQUACY,
    lambda v: ratio(v.source.lengths, v.target.lengths))
add("1004", "target_source_ratio", "Tokens of the translation per source token", ADEQUACY,
    lambda v: ratio(v.target.lengths, v.source.lengths))
add("1005", "length_difference", "Absolute difference of the numbers of tokens, per source token", ADEQUACY,
    lambda v: ratio(np.abs(v.source.lengths - v.target.lengths), v.source.lengths))
add("1006", "source_token_length", "Mean length of source tokens, in characters", COMPLEXITY,
    lambda v: _share(v, "source", Attribute.CHARACTERS))
add("1007", "unbalanced_brackets", "Brackets of the translation without a partner: ( ) [ ] { }", FLUENCY,
    lambda v: v.cached(_unbalanced)[:, : len(BRACKETS)].sum(1))
add("1008", "unbalanced_quotes", "Quotation marks of the translation without a partner, kind by kind", FLUENCY,
    lambda v: v.cached(_unbalanced)[:, len(BRACKETS) :].sum(1))
add("1015", "target_repetition", "Occurrences per distinct word of the translation", FLUENCY,
    lambda v: ratio(v.target.lengths, _distinct(v.target)))
for k, (name, mark_id) in enumerate(zip(MARK_NAMES, MARK_IDS, strict=True)):
    add(str(1062 + 2 * k), f"{mark_id}_difference", f"Absolute difference of the numbers of {name}", ADEQUACY,
        part(_mark_differences, k))
    add(str(1063 + 2 * k), f"{mark_id}_difference_share",
        f"Absolute difference of the numbers of {name}, per token of the translation", ADEQUACY, part(_mark_difference_shares, k))
add("1074", "source_punctuation", "Number of punctuation marks in the source", COMPLEXITY,
    lambda v: _punctuation(v.cached(_source)))
add("1075", "target_punctuation", "Number of punctuation marks in the translation", FLUENCY,
    lambda v: _punctuation(v.cached(_target)))
add("1074.share", "source_punctuation_share", "Punctuation marks per source token", COMPLEXITY,
    lambda v: ratio(_punctuation(v.cached(_source)), v.source.lengths))
add("1075.share", "target_punctuation_share", "Punctuation marks per token of the translation", FLUENCY,
    lambda v: ratio(_punctuation(v.cached(_target)), v.target.lengths))
add("1076", "punctuation_difference",
    "Absolute difference of the numbers of punctuation marks, per token of the translation", ADEQUACY,
    lambda v: ratio(np.abs(_punctuation(v.cached(_source)) - _punctuation(v.cached(_target))), v.target.lengths))
add("1077", "source_numbers", "Share of source tokens that are numbers", COMPLEXITY, lambda v: _share(v, "source",
    Attribute.NUMBER))
add("1078", "target_numbers", "Share of the translation's tokens that are numbers", FLUENCY,
    lambda v: _share(v, "target", Attribute.NUMBER))
add("1079", "numbers_difference", "Absolute difference of the numbers of numbers, per token of the translation", ADEQUACY,
    lambda v: ratio(np.abs(v.cached(_source) - v.cached(_target))[:, Attribute.NUMBER], v.target.lengths))
add("1080", "source_not_alphabetic", "Share of source tokens that are not all letters", COMPLEXITY,
    lambda v: _share(v, "source", Attribute.NOT_ALPHABETIC))
add("1081", "target_not_alphabetic", "Share of the translation's tokens that are not all letters", FLUENCY,
    lambda v: _share(v, "target", Attribute.NOT_ALPHABETIC))
add("1082", "not_alphabetic_ratio", "Ratio of the shares of tokens that are not all letters, source over translation", ADEQUACY,
    lambda v: ratio(_share(v, "source", Attribute.NOT_ALPHABETIC), _share(v, "target", Attribute.NOT_ALPHABETIC)))
add("surface.target_token_length", "target_token_length", "Mean length of the translation's tokens, in characters", FLUENCY,
    lambda v: _share(v, "target", Attribute.CHARACTERS), source=SOURCE_OF_FEATURES)
add("surface.character_ratio", "character_ratio", "Characters of the translation per source character, blanks left out", ADEQUACY,
    lambda v: ratio(v.cached(_target)[:, Attribute.CHARACTERS], v.cached(_source)[:, Attribute.CHARACTERS]),
    source=SOURCE_OF_FEATURES)
add("surface.source_repetition", "source_repetition", "Occurrences per distinct word of the source", COMPLEXITY,
    lambda v: ratio(v.source.lengths, _distinct(v.source)), source=SOURCE_OF_FEATURES)
add("surface.copied", "copied_words",
    "Share of the translation's words, of two letters or more, that stand in the source too", ADEQUACY, _copied,
    source=SOURCE_OF_FEATURES)
# fmt: on
