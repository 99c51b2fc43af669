"""Similarity to training text, by the five nearest training segments of each side; readability."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import Attribute, segment_sums, word_attributes
from app.features.needs import Resource, required
from app.features.overlap_kernel import clipped_matches, smoothed_precision
from app.features.view import View, part, ratio
from app.resources.corpus_index import SegmentIndex
from app.text.batch import TokenColumn

__all__ = ["RETRIEVAL"]

RETRIEVAL: Final = FeatureGroup("Nearest training segments and readability", "Biçici 2013; Shah et al. 2013, QuEst's IR features")
INDEX: Final = Resource.CORPUS_INDEX
NEIGHBOURS: Final = 5
# Long words of LIX have more letters than this (Björnsson 1968).
LONG: Final = 6


def _retrieved(column: TokenColumn, index: SegmentIndex) -> Float64s:
    """Cosine, n-gram precision and F1 of words of each of the nearest five, nearest first, 0 for missing ones; (n, 15)."""
    rows, cosines = index.nearest(column, NEIGHBOURS)
    out = np.zeros((len(column), 3 * NEIGHBOURS))
    tokens, index_words = column.hashes[column.ids], index.words[index.ids]
    for k in range(NEIGHBOURS):
        segments = np.flatnonzero(rows[:, k] >= 0)
        near = rows[segments, k]
        counts = clipped_matches(
            tokens,
            column.offsets[:-1][segments],
            column.offsets[1:][segments],
            index_words,
            index.offsets[:-1][near],
            index.offsets[1:][near],
        )
        out[:, 3 * k] = cosines[:, k]
        out[segments, 3 * k + 1] = smoothed_precision(counts)
        lengths = column.lengths[segments] + index.offsets[1:][near] - index.offsets[:-1][near]
        out[segments, 3 * k + 2] = ratio(2 * counts[:, 0], lengths)
    return out


def _source(view: View) -> Float64s:
    return _retrieved(view.source, required(view.resources.corpus_index, INDEX).source)


def _target(view: View) -> Float64s:
    return _retrieved(view.target, required(view.resources.corpus_index, INDEX).target)


def _readability(column: TokenColumn) -> Float64s:
    """LIX: words per sentence (marks that end one, at least 1) plus the percentage of long words; and characters per word."""
    attributes = word_attributes(column)
    letters = attributes[:, Attribute.CHARACTERS]
    is_word = (attributes[:, Attribute.MARKS : Attribute.MARKS + 6].sum(1) == 0) & (letters > 0)
    ends = attributes[:, [Attribute.MARKS, Attribute.MARKS + 2, Attribute.MARKS + 4, Attribute.MARKS + 5]].sum(1)
    per_word = np.stack([is_word, is_word & (letters > LONG), np.minimum(ends, 1), is_word * letters], axis=1).astype(np.float64)
    words, long, sentences, characters = segment_sums(per_word, column.ids, column.offsets).T
    return np.stack([words / np.maximum(sentences, 1) + 100 * ratio(long, words), ratio(characters, words)], axis=1)


def _source_readability(view: View) -> Float64s:
    return _readability(view.source)


def _target_readability(view: View) -> Float64s:
    return _readability(view.target)


add = RETRIEVAL.add
# fmt: off
for side, block, family in (("source", _source, Family.COMPLEXITY), ("target", _target, Family.FLUENCY)):
    text = "source" if side == "source" else "translation"
    for k in range(NEIGHBOURS):
        place = ("nearest", "second nearest", "third nearest", "fourth nearest", "fifth nearest")[k]
        add(f"ir.{side}.{k + 1}.cosine", f"{side}_retrieved_{k + 1}_cosine",
            f"Cosine (tf-idf) of the {text} and the {place} training segment", family, part(block, 3 * k), INDEX)
        add(f"ir.{side}.{k + 1}.precision", f"{side}_retrieved_{k + 1}_precision",
            f"Smoothed n-gram precision of the {text} against the {place} training segment", family, part(block, 3 * k + 1), INDEX)
        add(f"ir.{side}.{k + 1}.f1", f"{side}_retrieved_{k + 1}_f1",
            f"F1 of the words of the {text} and the {place} training segment", family, part(block, 3 * k + 2), INDEX)
for side, readability, family in (
    ("source", _source_readability, Family.COMPLEXITY), ("target", _target_readability, Family.FLUENCY),
):
    text = "source" if side == "source" else "translation"
    add(f"ir.{side}.lix", f"{side}_lix", f"LIX readability of the {text}", family, part(readability, 0))
    add(f"ir.{side}.word_length", f"{side}_word_length", f"Mean characters per word of the {text}, marks left out", family,
        part(readability, 1))
add("ir.word_length_ratio", "word_length_ratio", "Characters per word of the source over that of the translation", Family.ADEQUACY,
    lambda v: ratio(v.cached(_source_readability)[:, 1], v.cached(_target_readability)[:, 1]))
# fmt: on
