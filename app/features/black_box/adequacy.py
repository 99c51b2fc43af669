"""Adequacy: lexical probabilities and links between both sides, copied names and figures."""

from collections.abc import Callable
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.lexical_links import LexicalLinks, source_links, target_links
from app.features.needs import Resource
from app.features.view import View, copies_in, ratio, token_mask
from app.text.batch import TokenColumn

__all__ = ["ADEQUACY"]

ADEQUACY: Final = FeatureGroup("Lexical adequacy, names and figures", "Assay")
LEXICON, REVERSE = Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
BLATZ: Final = "Blatz et al. 2004, IBM model 1 scores"
# Probability of an unexplained word.
FLOOR: Final = 1e-4
# Names have at least this many characters after the first word of a segment.
SHORTEST_NAME: Final = 2


def _mean_log(links: LexicalLinks, side: TokenColumn, opposite: TokenColumn) -> Float64s:
    logs = np.log10(np.maximum(links.total, FLOOR)) - np.log10(opposite.lengths + 1.0)[side.segments]
    return ratio(np.bincount(side.segments, logs, len(side)), side.lengths)


def _unlinked(links: LexicalLinks, column: TokenColumn) -> Float64s:
    return ratio(np.bincount(column.segments[links.place < 0], minlength=len(column)), column.lengths)


def _crossings(view: View) -> Float64s:
    """Share of neighbouring linked words of the translation whose source places run backwards."""
    place = view.cached(target_links).place
    segments = view.target.segments
    rows = np.flatnonzero(place >= 0)
    neighbours = segments[rows[1:]] == segments[rows[:-1]]
    back = neighbours & (place[rows[1:]] < place[rows[:-1]])
    n = len(view)
    return ratio(np.bincount(segments[rows[1:]], back, n), np.bincount(segments[rows[1:]], neighbours.astype(np.float64), n))


def _names(column: TokenColumn) -> Bools:
    """True for names by their shape: capitalised and not first in the segment."""
    name_like = token_mask(column, lambda word: len(word) >= SHORTEST_NAME and word[0].isupper() and word.isalpha())
    first = np.zeros(len(column.ids), np.bool_)
    first[column.offsets[:-1][column.lengths > 0]] = True
    return name_like & ~first


def _figures(view: View) -> Bools:
    return token_mask(view.batch.cased_source, lambda word: any(c.isdigit() for c in word))


def _source_names(view: View) -> Bools:
    return _names(view.batch.cased_source)


def _share_of_source_names(view: View) -> Float64s:
    return _share(view.cached(_source_names), view.batch.cased_source)


def _share_of_target_names(view: View) -> Float64s:
    return _share(_names(view.batch.cased_translation), view.batch.cased_translation)


def _copied(view: View) -> Bools:
    """True for source tokens that stand unchanged in the translation."""
    return copies_in(view.batch.cased_source, view.batch.cased_translation)


def _share(hit: Bools, column: TokenColumn) -> Float64s:
    return ratio(np.bincount(column.segments[hit], minlength=len(column)), column.lengths)


def _carried(view: View, pick: Callable[[View], Bools]) -> Float64s:
    """Share of selected source words that stand unchanged in the translation; 1 without such words."""
    source, n = view.batch.cased_source, len(view)
    hit = view.cached(pick)
    copies = hit & view.cached(_copied)
    hits = np.bincount(source.segments[hit], minlength=n)
    return np.where(hits > 0, ratio(np.bincount(source.segments[copies], minlength=n), hits), 1.0)


add = ADEQUACY.add
# fmt: off
add("lex.target", "target_lexical_log_prob",
    "Mean log10 probability of the translation's words given the source's, by the lexical table (IBM model 1)", Family.ADEQUACY,
    lambda v: _mean_log(v.cached(target_links), v.target, v.source), LEXICON, source=BLATZ)
add("lex.source", "source_lexical_log_prob",
    "Mean log10 probability of the source's words given the translation's, by the lexical table (IBM model 1)", Family.ADEQUACY,
    lambda v: _mean_log(v.cached(source_links), v.source, v.target), REVERSE, source=BLATZ)
add("lex.target_unlinked", "target_unlinked", "Share of the translation's words that no source word translates to", Family.ADEQUACY,
    lambda v: _unlinked(v.cached(target_links), v.target), LEXICON)
add("lex.source_unlinked", "source_unlinked", "Share of source words that no word of the translation translates", Family.ADEQUACY,
    lambda v: _unlinked(v.cached(source_links), v.source), REVERSE)
add("lex.backwards", "links_backwards",
    "Share of neighbouring linked words of the translation whose source words stand the other way round", Family.ADEQUACY,
    _crossings, LEXICON)
add("names.source", "source_names", "Share of source tokens that are names by their shape: capitalised, not first",
    Family.COMPLEXITY,
    lambda v: v.cached(_share_of_source_names))
add("names.target", "target_names", "Share of the translation's tokens that are names by their shape", Family.FLUENCY,
    lambda v: v.cached(_share_of_target_names))
add("names.difference", "names_difference", "Absolute difference of the two shares of names", Family.ADEQUACY,
    lambda v: np.abs(v.cached(_share_of_source_names) - v.cached(_share_of_target_names)))
add("names.carried", "names_carried", "Share of the source's names that stand in the translation unchanged; 1 without names",
    Family.ADEQUACY, lambda v: _carried(v, _source_names))
add("figures.carried", "figures_carried",
    "Share of source tokens with digits that stand in the translation unchanged; 1 without any", Family.ADEQUACY,
    lambda v: _carried(v, _figures))
# fmt: on
