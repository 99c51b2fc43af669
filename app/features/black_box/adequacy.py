"""Adequacy: lexical probabilities and links between both sides, copied names and figures."""

from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, UInt8s
from app.features.black_box.sum_kernels import carried_shapes, link_sums
from app.features.black_box.surface import SOURCE_TOKENS, TARGET_TOKENS
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import word_shapes
from app.features.lexical_links import LexicalLinks, source_links, target_links
from app.features.needs import Resource
from app.features.plans.formulas import difference_of, part, ratio_of
from app.features.view import View, copies_in
from app.text.batch import TokenColumn

__all__ = ["ADEQUACY"]

ADEQUACY: Final = FeatureGroup("Lexical adequacy, names and figures", "Assay")
LEXICON, REVERSE = Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
BLATZ: Final = "Blatz et al. 2004, IBM model 1 scores"
# Probability of an unexplained word.
FLOOR: Final = 1e-4


def _sums(links: LexicalLinks, side: TokenColumn, opposite: TokenColumn) -> Float64s:
    logs = np.log10(np.maximum(links.total, FLOOR))
    sums: Float64s = link_sums(logs, links.place, side.offsets, np.log10(opposite.lengths + 1.0))
    return sums


def _target_sums(view: View) -> Float64s:
    """Sums of log-probabilities of the translation's words, and counts by their links; columns of `link_sums`."""
    return _sums(view.cached(target_links), view.target, view.source)


def _source_sums(view: View) -> Float64s:
    """Sums of log-probabilities of source words, and counts by their links; columns of `link_sums`."""
    return _sums(view.cached(source_links), view.source, view.target)


def _copied(view: View) -> Bools:
    """True for source tokens that stand unchanged in the translation."""
    return copies_in(view.batch.cased_source, view.batch.cased_translation)


def _no_copies(column: TokenColumn) -> Bools:
    return np.zeros(len(column.ids), np.bool_)


def _shapes(column: TokenColumn, copy_mask: Bools) -> Float64s:
    shapes: UInt8s = word_shapes(column)
    counts: Float64s = carried_shapes(shapes, column.ids, column.offsets, copy_mask)
    return counts


def _source_shapes(view: View) -> Float64s:
    """Names of the source, and the shares of its names and figures that stand in the translation unchanged; shape (n, 3)."""
    return _shapes(view.batch.cased_source, view.cached(_copied))


def _target_shapes(view: View) -> Float64s:
    """Names of the translation in the first column."""
    return _shapes(view.batch.cased_translation, _no_copies(view.batch.cased_translation))


SOURCE_NAMES, TARGET_NAMES = ratio_of(part(_source_shapes, 0), SOURCE_TOKENS), ratio_of(part(_target_shapes, 0), TARGET_TOKENS)

add = ADEQUACY.add
# fmt: off
add("lex.target", "target_lexical_log_prob",
    "Mean log10 probability of the translation's words given the source's, by the lexical table (IBM model 1)", Family.ADEQUACY,
    ratio_of(part(_target_sums, 0), TARGET_TOKENS), LEXICON, source=BLATZ)
add("lex.source", "source_lexical_log_prob",
    "Mean log10 probability of the source's words given the translation's, by the lexical table (IBM model 1)", Family.ADEQUACY,
    ratio_of(part(_source_sums, 0), SOURCE_TOKENS), REVERSE, source=BLATZ)
add("lex.target_unlinked", "target_unlinked", "Share of the translation's words that no source word translates to", Family.ADEQUACY,
    ratio_of(part(_target_sums, 1), TARGET_TOKENS), LEXICON)
add("lex.source_unlinked", "source_unlinked", "Share of source words that no word of the translation translates", Family.ADEQUACY,
    ratio_of(part(_source_sums, 1), SOURCE_TOKENS), REVERSE)
add("lex.backwards", "links_backwards",
    "Share of neighbouring linked words of the translation whose source words stand the other way round", Family.ADEQUACY,
    ratio_of(part(_target_sums, 2), part(_target_sums, 3)), LEXICON)
add("names.source", "source_names", "Share of source tokens that are names by their shape: capitalised, not first",
    Family.COMPLEXITY, SOURCE_NAMES)
add("names.target", "target_names", "Share of the translation's tokens that are names by their shape", Family.FLUENCY, TARGET_NAMES)
add("names.difference", "names_difference", "Absolute difference of the two shares of names", Family.ADEQUACY,
    difference_of(SOURCE_NAMES, TARGET_NAMES))
add("names.carried", "names_carried", "Share of the source's names that stand in the translation unchanged; 1 without names",
    Family.ADEQUACY, part(_source_shapes, 1))
add("figures.carried", "figures_carried",
    "Share of source tokens with digits that stand in the translation unchanged; 1 without any", Family.ADEQUACY,
    part(_source_shapes, 2))
# fmt: on
