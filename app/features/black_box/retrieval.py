"""Similarity to training text, by the five nearest training segments of each side; readability."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import MARKS, Attribute, segment_sums, word_attributes
from app.features.needs import Resource, required
from app.features.overlap_kernel import LONGEST_NGRAM, clipped_matches, floored_bleu, shared_types, smoothed_precision
from app.features.plans.formulas import part
from app.features.view import View, ratio
from app.resources.corpus_index import SegmentIndex
from app.text.batch import TokenColumn

__all__ = ["RETRIEVAL"]

RETRIEVAL: Final = FeatureGroup("Nearest training segments and readability", "Biçici 2013; Shah et al. 2013, QuEst's IR features")
INDEX: Final = Resource.CORPUS_INDEX
NEIGHBOURS: Final = 5
# Numbers of each neighbour.
WIDTH: Final = 5
# Longest n-grams of QuEst's F1.
LONGEST_TYPES: Final = 5
# Long words of LIX have more letters than this (Björnsson 1968).
LONG: Final = 6
# A sentence ends at a token that begins or ends with one of these marks: full stops, colons, question and exclamation marks.
ENDS: Final = frozenset("".join(MARKS[k] for k in (0, 2, 4, 5)))


def _retrieved(column: TokenColumn, index: SegmentIndex) -> Float64s:
    """Five numbers of each of the nearest five, nearest first, 0 for missing ones; shape (n, 25).

    Cosine, n-gram precision, F1 of words, BLEU of the training segment with the text as its reference, F1 of distinct n-grams.
    """
    rows, cosines = index.nearest(column, NEIGHBOURS)
    out = np.zeros((len(column), WIDTH * NEIGHBOURS))
    tokens, index_words = column.hashes[column.ids], index.words[index.ids]
    for k in range(NEIGHBOURS):
        segments = np.flatnonzero(rows[:, k] >= 0)
        near = rows[segments, k]
        places = column.offsets[:-1][segments], column.offsets[1:][segments]
        near_places = index.offsets[:-1][near], index.offsets[1:][near]
        counts = clipped_matches(tokens, *places, index_words, *near_places)
        lengths, near_lengths = column.lengths[segments], near_places[1] - near_places[0]
        shared = shared_types(tokens, *places, index_words, *near_places, LONGEST_TYPES)
        out[:, WIDTH * k] = cosines[:, k]
        out[segments, WIDTH * k + 1] = smoothed_precision(counts)
        out[segments, WIDTH * k + 2] = ratio(2 * counts[:, 0], lengths + near_lengths)
        out[segments, WIDTH * k + 3] = floored_bleu(counts[:, :LONGEST_NGRAM], near_lengths, lengths)
        out[segments, WIDTH * k + 4] = ratio(2 * shared[:, 0], shared[:, 1] + shared[:, 2])
    return out


def _source(view: View) -> Float64s:
    return _retrieved(view.source, required(view.resources.corpus_index, INDEX).source)


def _target(view: View) -> Float64s:
    return _retrieved(view.target, required(view.resources.corpus_index, INDEX).target)


def _readability(column: TokenColumn) -> Float64s:
    """LIX: words per sentence (at least one) plus the percentage of long words; and characters per word."""
    attributes = word_attributes(column)
    letters = attributes[:, Attribute.CHARACTERS]
    is_word = (attributes[:, Attribute.MARKS : Attribute.MARKS + 6].sum(1) == 0) & (letters > 0)
    ends = np.array([not ENDS.isdisjoint((word[:1], word[-1:])) for word in column.vocabulary], np.bool_)
    per_word = np.stack([is_word, is_word & (letters > LONG), ends, is_word * letters], axis=1).astype(np.float64)
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
        for number, (name, description) in enumerate((
            ("cosine", "Cosine (tf-idf) of the {} and the {}"),
            ("precision", "Smoothed n-gram precision of the {} against the {}"),
            ("f1", "F1 of the words of the {} and the {}"),
            ("bleu", "Sentence BLEU with the {} as reference of the {}"),
            ("ngram_f1", "F1 of the distinct n-grams up to five words of the {} and the {}"),
        )):
            add(f"ir.{side}.{k + 1}.{name}", f"{side}_retrieved_{k + 1}_{name}",
                description.format(text, f"{place} training segment"), family, part(block, WIDTH * k + number), INDEX)
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
