"""Features of each word of a translation and of its neighbours.

A number is a quantity, a key (a 64-bit hash) an identity. A position outside the segment has the key `EDGE`.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.features.black_box.corpus_statistics import target_scores, target_word_scores
from app.features.black_box.grammar import source_tags, target_tags
from app.features.declaration import Column, Family, FeatureGroup, Level
from app.features.glass_box.n_best import posterior_weights, tokenised_lists
from app.features.kernels import shape_table, word_attributes
from app.features.lexical_links import source_links, target_links
from app.features.needs import Resource
from app.features.plans.formulas import part
from app.features.view import View, copied_tokens, ratio
from app.features.word_level.keys import EDGE, Key, KeyPair
from app.features.word_level.neighbour_kernels import linked_places, shifted_keys, shifted_places
from app.features.word_level.word_kernels import (
    explained_probabilities,
    link_patterns,
    linked_shares,
    model_numbers,
    order_codes,
    position_numbers,
    shape_codes,
    suffix_begins,
)
from app.resources.language_models import WordScores
from app.text.hashing import hash_slices
from app.text.pieces import words_of_pieces
from app.text.side_information.kinds import N_BEST, TOKEN_LOG_PROBS, TOKENS

__all__ = ["WORDS", "is_key", "own_keys", "piece_statistics", "source_keys", "tag_keys", "word_scores"]

WORDS: Final = FeatureGroup("Words", "Specia et al. 2015, QuEst++ word level; Luong et al. 2014", Level.WORD)
TARGET_LM, LEXICON, REVERSE = Resource.TARGET_LANGUAGE_MODEL, Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
SOURCE_TAGGER, TARGET_TAGGER = Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER
SUFFIX: Final = 3


def is_key(values: np.ndarray) -> bool:
    """True for a word feature that is a key, not a number."""
    return values.dtype == np.uint64


def own_keys(view: View) -> UInt64s:
    """Keys of the words."""
    return np.asarray(view.target.hashes[view.target.ids])


def source_keys(view: View) -> UInt64s:
    """Keys of the source words."""
    return np.asarray(view.source.hashes[view.source.ids])


def _constant(view: View) -> UInt64s:
    return np.full(len(view.target.ids), EDGE, np.uint64)


def _suffixes(view: View) -> UInt64s:
    data, begins, ends = view.target.encoded_vocabulary
    hashes: UInt64s = hash_slices(data, suffix_begins(data, begins, ends, SUFFIX), ends)
    return np.asarray(hashes[view.target.ids])


def _shapes(view: View) -> UInt64s:
    """Capitals, marks, digits and shortness as one key."""
    column = view.batch.cased_translation
    codes: UInt64s = shape_codes(*column.encoded_vocabulary, shape_table(), word_attributes(column))
    return np.asarray(codes[column.ids])


def word_scores(view: View) -> WordScores:
    """Scores of the target language model for each word and for the end of each segment."""
    return view.cached(target_word_scores)[1]


def _orders(view: View) -> UInt64s:
    """Orders of the known n-grams before, at and after the word, which show the back-off of the model."""
    return np.asarray(order_codes(word_scores(view).matched_orders, view.target.offsets, False, 0))


def _model_numbers(view: View) -> Float64s:
    """Log-probabilities of the word, of the one after it, and per word of the translation; shape (3, tokens)."""
    sentences = view.cached(target_scores).log_prob
    return np.asarray(model_numbers(word_scores(view).log_prob, sentences, view.target.offsets))


def _positions(view: View) -> Float64s:
    """Place of the word, and tokens of the translation per source token; shape (2, tokens)."""
    return np.asarray(position_numbers(view.target.offsets, view.source.offsets))


def _copies(view: View) -> UInt64s:
    return view.cached(copied_tokens).astype(np.uint64) + np.uint64(5)


def tag_keys(view: View) -> UInt64s:
    """Keys of the parts of speech of the words."""
    return view.cached(target_tags).astype(np.uint64) + np.uint64(100)


def _source_tags(view: View) -> UInt64s:
    return view.cached(source_tags).astype(np.uint64) + np.uint64(200)


def _link_patterns(view: View) -> UInt64s:
    """Links of the words before, at and after, and their direction, as one key."""
    return np.asarray(link_patterns(view.cached(target_links).place, view.target.offsets))


def _explained(view: View) -> Float64s:
    """Sum of p(source word | word) over the source words that the word explains best."""
    links = view.cached(source_links)
    return np.asarray(explained_probabilities(view.target.offsets, links.place, links.probability, view.source.offsets))


def _linked_shares(view: View) -> Float64s:
    return np.asarray(linked_shares(view.cached(target_links).place, view.target.offsets))


def _before(view: View) -> Int64s:
    return np.asarray(shifted_places(view.target.offsets, -1))


def _after(view: View) -> Int64s:
    return np.asarray(shifted_places(view.target.offsets, 1))


def _linked(view: View, by: int) -> Int64s:
    """Place of the source word `by` places from the linked one."""
    return np.asarray(linked_places(view.cached(target_links).place, view.target.offsets, view.source.offsets, by))


def piece_statistics(view: View) -> Float64s:
    """Lowest and mean log-probability of each word's pieces, and their number; (tokens, 3).

    Zeros in a segment whose pieces do not match the characters of its words.
    """
    pieces = view.beside(TOKENS)
    log_probs = view.beside(TOKEN_LOG_PROBS)
    out = np.zeros((len(view.target.ids), 3))
    for i, (row, values) in enumerate(zip(pieces, log_probs, strict=True)):
        owners = words_of_pieces(row, view.target.tokens(i))
        if owners is None or len(values) < len(row):
            continue
        size, begin = int(view.target.lengths[i]), int(view.target.offsets[i])
        at, piece_values = np.array(owners, np.int64), np.array(values[: len(row)], np.float64)
        count = np.bincount(at, minlength=size)[:size]
        lowest = np.zeros(size)
        np.minimum.at(lowest, at, piece_values)
        out[begin : begin + size] = np.stack([lowest, ratio(np.bincount(at, piece_values, size)[:size], count), count], axis=1)
    return out


def row(block: Callable[[View], Float64s], place: int) -> Column:
    """Row `place` of a block (m, positions) that is computed once."""
    return lambda view: view.cached(block)[place]


def _piece(k: int, by: int) -> Column:
    """Column `k` of the pieces' statistics of the word `by` places behind; 0 outside."""

    def column(view: View) -> Float64s:
        values = np.ascontiguousarray(view.cached(piece_statistics)[:, k])
        bits = shifted_keys(values.view(np.uint64), view.target.offsets, by, EDGE)
        return np.where(bits == EDGE, 0.0, bits.view(np.float64))

    return column


def _segment_mean(values: Column) -> Column:
    """Mean over the segment, repeated for each of its words."""

    def column(view: View) -> Float64s:
        segments = view.target.segments
        return ratio(np.bincount(segments, values(view), len(view)), view.target.lengths)[segments]

    return column


def _posteriors(view: View) -> Float64s:
    """Share of the hypotheses with the word, and their posterior weight; (tokens, 2)."""
    out = np.zeros((len(view.target.ids), 2))
    for i, n_best in enumerate(view.cached(tokenised_lists)):
        if not n_best.hypotheses:
            continue
        weights, sets = posterior_weights(n_best), [frozenset(tokens) for tokens in n_best.hypotheses]
        for k, token in enumerate(n_best.tokens):
            holds = np.array([token in words for words in sets])
            out[view.target.offsets[i] + k] = holds.mean(), weights[holds].sum()
    return out


LINK, BEFORE_LINK, AFTER_LINK = partial(_linked, by=0), partial(_linked, by=-1), partial(_linked, by=1)
WORD, WORD_BEFORE, WORD_AFTER = Key(own_keys), Key(own_keys, _before), Key(own_keys, _after)
LINKED_WORD, TAG = Key(source_keys, LINK), Key(tag_keys)

add = WORDS.add
F, A, C = Family.FLUENCY, Family.ADEQUACY, Family.CONFIDENCE
# fmt: off
add("word.always", "word_always", "The same for every word", F, Key(_constant))
add("word.itself", "word_itself", "The word", F, WORD)
add("word.before", "word_before", "The word before it", F, WORD_BEFORE)
add("word.after", "word_after", "The word after it", F, WORD_AFTER)
add("word.with_before", "word_with_before", "The word and the one before it", F, KeyPair(WORD_BEFORE, WORD))
add("word.with_after", "word_with_after", "The word and the one after it", F, KeyPair(WORD, WORD_AFTER))
add("word.suffix", "word_suffix", "The last three characters of the word", F, Key(_suffixes))
add("word.shape", "word_shape", "Capitals, marks, digits and shortness of the word", F, Key(_shapes))
add("word.orders", "word_orders", "Orders of the n-grams that the language model knows before, at and after the word", F,
    Key(_orders), TARGET_LM)
add("word.log_prob", "word_log_prob", "Log10 probability of the word after those before it", F,
    row(_model_numbers, 0), TARGET_LM)
add("word.next_log_prob", "word_next_log_prob", "Log10 probability of the word after it, or of the end", F,
    row(_model_numbers, 1), TARGET_LM)
add("word.sentence_log_prob", "word_sentence_log_prob", "Log10 probability per word of the translation", F,
    row(_model_numbers, 2), TARGET_LM)
add("word.place", "word_place", "Place of the word in the translation, from 0 to 1", F,
    row(_positions, 0))
add("word.length_ratio", "word_translation_length_ratio", "Tokens of the translation per source token", A,
    row(_positions, 1))
add("word.copied", "word_copied", "Whether the word stands in the source", A,
    Key(_copies))
add("word.link", "word_link", "The source word that explains it best", A, LINKED_WORD, LEXICON)
add("word.with_link", "word_with_link", "The word and the source word that explains it best", A, KeyPair(WORD,
    LINKED_WORD), LEXICON)
add("word.before_link", "word_before_link", "The source word before the linked one", A,
    Key(source_keys, BEFORE_LINK), LEXICON)
add("word.after_link", "word_after_link", "The source word after the linked one", A,
    Key(source_keys, AFTER_LINK), LEXICON)
add("word.link_pattern", "word_link_pattern", "Whether the words before, at and after have links, and whether these go forward", A,
    Key(_link_patterns), LEXICON)
add("word.link_probability", "word_link_probability", "Probability of the word given the linked source word", A,
    lambda v: v.cached(target_links).probability.astype(np.float64), LEXICON)
add("word.total_probability", "word_total_probability", "Probability of the word summed over all source words", A,
    lambda v: v.cached(target_links).total, LEXICON)
add("word.reverse_probability", "word_reverse_probability",
    "Probabilities of the source words that the word explains best, summed", A,
    _explained, REVERSE)
add("word.sentence_links", "word_sentence_links", "Share of the translation's words with a link", A,
    _linked_shares, LEXICON)
add("word.tag", "word_tag", "Part of speech of the word", F, TAG, TARGET_TAGGER)
add("word.tag_before", "word_tag_before", "Parts of speech of the word and the one before", F, KeyPair(Key(tag_keys, _before), TAG),
    TARGET_TAGGER)
add("word.tag_after", "word_tag_after", "Parts of speech of the word and the one after", F, KeyPair(TAG, Key(tag_keys, _after)),
    TARGET_TAGGER)
add("word.tag_link", "word_tag_link", "Parts of speech of the word and of the linked source word", A,
    KeyPair(TAG, Key(_source_tags, LINK)), TARGET_TAGGER, SOURCE_TAGGER, LEXICON)
for by, name, owner in ((0, "own", "the word's"), (-1, "before", "the word before's"), (1, "after", "the word after's")):
    add(f"word.nmt_{name}_lowest", f"word_nmt_{name}_lowest", f"Lowest log-probability of {owner} pieces", C, _piece(0, by),
        TOKENS, TOKEN_LOG_PROBS)
    add(f"word.nmt_{name}_mean", f"word_nmt_{name}_mean", f"Mean log-probability of {owner} pieces", C, _piece(1, by),
        TOKENS, TOKEN_LOG_PROBS)
add("word.n_best_share", "word_n_best_share", "Share of the n-best list's hypotheses that hold the word", C, part(_posteriors, 0),
    N_BEST)
add("word.n_best_posterior", "word_n_best_posterior", "Posterior weight of the n-best list's hypotheses that hold the word", C,
    part(_posteriors, 1), N_BEST)
add("word.nmt_pieces", "word_nmt_pieces", "Number of the word's pieces", C, _piece(2, 0), TOKENS, TOKEN_LOG_PROBS)
add("word.nmt_sentence", "word_nmt_sentence", "Mean over the translation of the words' lowest log-probabilities", C,
    _segment_mean(lambda v: v.cached(piece_statistics)[:, 0]), TOKENS, TOKEN_LOG_PROBS)
# fmt: on
