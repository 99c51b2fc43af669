"""Counts in both texts without any resource: lengths, marks, numbers, brackets, copied words."""

from typing import Final

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import Attribute, copied_words, side_counts, word_attributes
from app.features.plans.formulas import Formula, Quantity, difference_of, part, ratio_of
from app.features.view import View, copied_tokens
from app.text.batch import TokenColumn

__all__ = ["SOURCE_TOKENS", "SURFACE", "TARGET_TOKENS", "source_attributes", "target_attributes"]

SURFACE: Final = FeatureGroup("Lengths, marks and numbers", "Specia et al. 2013, QuEst")
SOURCE_OF_FEATURES: Final = "Assay"
COMPLEXITY, FLUENCY, ADEQUACY = Family.COMPLEXITY, Family.FLUENCY, Family.ADEQUACY
MARK_NAMES: Final = ("full stops", "commas", "colons", "semicolons", "question marks", "exclamation marks")
MARK_IDS: Final = ("full_stops", "commas", "colons", "semicolons", "question_marks", "exclamation_marks")


def source_attributes(view: View) -> Int64s:
    """Attributes of the distinct lower-cased words of the sources."""
    return word_attributes(view.source)


def target_attributes(view: View) -> Int64s:
    """Attributes of the distinct lower-cased words of the translations."""
    return word_attributes(view.target)


def _side(attributes: Int64s, column: TokenColumn) -> Float64s:
    counts: Float64s = side_counts(attributes, column.ids, column.offsets)
    return counts


def _source(view: View) -> Float64s:
    return _side(view.cached(source_attributes), view.source)


def _target(view: View) -> Float64s:
    return _side(view.cached(target_attributes), view.target)


def _copied(view: View) -> Float64s:
    """Alphabetic words of the translation of two or more characters that also stand in the source, and all such words; (n, 2)."""
    counts: Float64s = copied_words(
        view.cached(target_attributes), view.target.ids, view.target.offsets, view.cached(copied_tokens)
    )
    return counts


def _of_source(column: int) -> Quantity:
    return part(_source, column)


def _of_target(column: int) -> Quantity:
    return part(_target, column)


SOURCE_TOKENS, TARGET_TOKENS = _of_source(Attribute.TOKENS), _of_target(Attribute.TOKENS)


def _source_share(column: int) -> Formula:
    return ratio_of(_of_source(column), SOURCE_TOKENS)


def _target_share(column: int) -> Formula:
    return ratio_of(_of_target(column), TARGET_TOKENS)


def _difference(column: int) -> Formula:
    return difference_of(_of_source(column), _of_target(column))


def _difference_share(column: int) -> Formula:
    return difference_of(_of_source(column), _of_target(column), TARGET_TOKENS)


add = SURFACE.add
# fmt: off
add("1001", "source_tokens", "Number of tokens in the source", COMPLEXITY, SOURCE_TOKENS)
add("1002", "target_tokens", "Number of tokens in the translation", FLUENCY, TARGET_TOKENS)
add("1003", "source_target_ratio", "Source tokens per token of the translation", ADEQUACY, ratio_of(SOURCE_TOKENS, TARGET_TOKENS))
add("1004", "target_source_ratio", "Tokens of the translation per source token", ADEQUACY, ratio_of(TARGET_TOKENS, SOURCE_TOKENS))
add("1005", "length_difference", "Absolute difference of the numbers of tokens, per source token", ADEQUACY,
    difference_of(SOURCE_TOKENS, TARGET_TOKENS, SOURCE_TOKENS))
add("1006", "source_token_length", "Mean length of source tokens, in characters", COMPLEXITY, _source_share(Attribute.CHARACTERS))
add("1007", "unbalanced_brackets", "Brackets of the translation without a partner: ( ) [ ] { }", FLUENCY,
    _of_target(Attribute.UNBALANCED_BRACKETS))
add("1008", "unbalanced_quotes", "Quotation marks of the translation without a partner, kind by kind", FLUENCY,
    _of_target(Attribute.UNBALANCED_QUOTES))
add("1015", "target_repetition", "Occurrences per distinct word of the translation", FLUENCY,
    ratio_of(TARGET_TOKENS, _of_target(Attribute.DISTINCT)))
for k, (name, mark_id) in enumerate(zip(MARK_NAMES, MARK_IDS, strict=True)):
    add(str(1062 + 2 * k), f"{mark_id}_difference", f"Absolute difference of the numbers of {name}", ADEQUACY,
        _difference(Attribute.MARKS + k))
    add(str(1063 + 2 * k), f"{mark_id}_difference_share",
        f"Absolute difference of the numbers of {name}, per token of the translation", ADEQUACY,
        _difference_share(Attribute.MARKS + k))
add("1074", "source_punctuation", "Number of punctuation marks in the source", COMPLEXITY, _of_source(Attribute.PUNCTUATION))
add("1075", "target_punctuation", "Number of punctuation marks in the translation", FLUENCY, _of_target(Attribute.PUNCTUATION))
add("1074.share", "source_punctuation_share", "Punctuation marks per source token", COMPLEXITY,
    _source_share(Attribute.PUNCTUATION))
add("1075.share", "target_punctuation_share", "Punctuation marks per token of the translation", FLUENCY,
    _target_share(Attribute.PUNCTUATION))
add("1076", "punctuation_difference",
    "Absolute difference of the numbers of punctuation marks, per token of the translation", ADEQUACY,
    _difference_share(Attribute.PUNCTUATION))
add("1077", "source_numbers", "Share of source tokens that are numbers", COMPLEXITY, _source_share(Attribute.NUMBER))
add("1078", "target_numbers", "Share of the translation's tokens that are numbers", FLUENCY, _target_share(Attribute.NUMBER))
add("1079", "numbers_difference", "Absolute difference of the numbers of numbers, per token of the translation", ADEQUACY,
    _difference_share(Attribute.NUMBER))
add("1080", "source_not_alphabetic", "Share of source tokens that are not all letters", COMPLEXITY,
    _source_share(Attribute.NOT_ALPHABETIC))
add("1081", "target_not_alphabetic", "Share of the translation's tokens that are not all letters", FLUENCY,
    _target_share(Attribute.NOT_ALPHABETIC))
add("1082", "not_alphabetic_ratio", "Ratio of the shares of tokens that are not all letters, source over translation", ADEQUACY,
    ratio_of(_source_share(Attribute.NOT_ALPHABETIC), _target_share(Attribute.NOT_ALPHABETIC)))
add("surface.target_token_length", "target_token_length", "Mean length of the translation's tokens, in characters", FLUENCY,
    _target_share(Attribute.CHARACTERS), source=SOURCE_OF_FEATURES)
add("surface.character_ratio", "character_ratio", "Characters of the translation per source character, blanks left out", ADEQUACY,
    ratio_of(_of_target(Attribute.CHARACTERS), _of_source(Attribute.CHARACTERS)), source=SOURCE_OF_FEATURES)
add("surface.source_repetition", "source_repetition", "Occurrences per distinct word of the source", COMPLEXITY,
    ratio_of(SOURCE_TOKENS, _of_source(Attribute.DISTINCT)), source=SOURCE_OF_FEATURES)
add("surface.copied", "copied_words",
    "Share of the translation's words, of two letters or more, that stand in the source too", ADEQUACY,
    ratio_of(part(_copied, 0), part(_copied, 1)), source=SOURCE_OF_FEATURES)
# fmt: on
