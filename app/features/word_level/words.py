"""Features of each word of a translation and of its neighbours.

A number is a quantity, a key (a 64-bit hash) an identity. A position outside the segment has the key `EDGE`.
"""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.features.black_box.corpus_statistics import target_scores, target_word_scores
from app.features.black_box.grammar import source_tags, target_tags
from app.features.declaration import Column, Family, FeatureGroup, Level
from app.features.glass_box.n_best import posterior_weights, tokenised_lists
from app.features.kernels import Attribute, word_attributes
from app.features.lexical_links import source_links, target_links
from app.features.needs import Resource
from app.features.view import View, copied_tokens, part, ratio
from app.features.word_level.neighbour_kernels import linked_keys, shifted_keys
from app.resources.language_models import WordScores
from app.text.batch import TokenColumn
from app.text.hashing import combine_all, hash_tokens
from app.text.pieces import words_of_pieces
from app.text.side_information.kinds import N_BEST, TOKEN_LOG_PROBS, TOKENS

__all__ = ["EDGE", "WORDS", "is_key", "own_keys", "pair_codes", "piece_statistics", "word_scores"]

WORDS: Final = FeatureGroup("Words", "Specia et al. 2015, QuEst++ word level; Luong et al. 2014", Level.WORD)
EDGE: Final = np.uint64(1)
EMPTY_VALUE: Final = np.uint64(2)
TARGET_LM, LEXICON, REVERSE = Resource.TARGET_LANGUAGE_MODEL, Resource.LEXICAL_TABLE, Resource.REVERSE_LEXICAL_TABLE
SOURCE_TAGGER, TARGET_TAGGER = Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER
SUFFIX: Final = 3


def is_key(values: np.ndarray) -> bool:
    """True for a word feature that is a key, not a number."""
    return values.dtype == np.uint64


def shifted(column: TokenColumn, values: UInt64s, by: int) -> UInt64s:
    """Value `by` places behind each token in its segment, `EDGE` outside."""
    return np.asarray(shifted_keys(values, column.offsets, by, EDGE))


def pair_codes(left: UInt64s, right: UInt64s) -> UInt64s:
    """The key of a pair of keys."""
    return np.asarray(combine_all(left, right))


def own_keys(view: View) -> UInt64s:
    """Keys of the words."""
    return np.asarray(view.target.hashes[view.target.ids])


def _shapes(view: View) -> UInt64s:
    """Capitals, marks, digits and shortness as one key."""
    column = view.batch.cased_translation
    attributes = word_attributes(column)
    capital = np.array([word[:1].isupper() + word.isupper() for word in column.vocabulary], np.uint64)
    marks = attributes[:, Attribute.MARKS : Attribute.MARKS + 6].argmax(1) + 1
    marks[attributes[:, Attribute.MARKS : Attribute.MARKS + 6].sum(1) == 0] = 0
    short = np.minimum(attributes[:, Attribute.CHARACTERS], 3)
    code = capital + np.uint64(4) * marks.astype(np.uint64) + np.uint64(32) * attributes[:, Attribute.NUMBER].astype(np.uint64)
    code += np.uint64(64) * attributes[:, Attribute.NOT_ALPHABETIC].astype(np.uint64) + np.uint64(128) * short.astype(np.uint64)
    return np.asarray(code[column.ids] + np.uint64(16))


def word_scores(view: View) -> WordScores:
    """Scores of the target language model for each word and for the end of each segment."""
    return view.cached(target_word_scores)[1]


def _at_words(view: View, after: int = 0) -> Int64s:
    """Places of the words in arrays with an end after each segment."""
    return np.arange(len(view.target.ids)) + view.target.segments + after


def _orders(view: View) -> UInt64s:
    """Orders of the known n-grams before, at and after the word, which show the back-off of the model."""
    orders = word_scores(view).matched_orders.astype(np.uint64)
    at = _at_words(view)
    before = np.where(np.arange(len(at)) == view.target.offsets[:-1][view.target.segments], np.uint64(7), orders[at - 1])
    return np.asarray(np.uint64(3) + before * np.uint64(64) + orders[at] * np.uint64(8) + orders[at + 1])


def _linked_source(view: View) -> UInt64s:
    """Key of the source word that explains the word best."""
    return _source_at(view, 0, view.cached(own_source_keys))


def own_source_keys(view: View) -> UInt64s:
    """Keys of the source words."""
    return np.asarray(view.source.hashes[view.source.ids])


def _source_at(view: View, by: int, keys: UInt64s) -> UInt64s:
    """Key of the source word `by` places from the linked one; `EDGE` outside, `EMPTY_VALUE` without a link."""
    place = view.cached(target_links).place
    return np.asarray(linked_keys(place, view.target.offsets, keys, view.source.offsets, by, EDGE, EMPTY_VALUE))


def _tags(view: View) -> UInt64s:
    return view.cached(target_tags).astype(np.uint64) + np.uint64(100)


def _source_tags(view: View) -> UInt64s:
    return view.cached(source_tags).astype(np.uint64) + np.uint64(200)


def _link_pattern(view: View) -> UInt64s:
    """Links of the words before, at and after, and their direction, as one key."""
    place = view.cached(target_links).place.astype(np.int64)
    link_codes = (place >= 0).astype(np.uint64) + np.uint64(10)
    before, after = shifted(view.target, link_codes, -1), shifted(view.target, link_codes, 1)
    previous = np.concatenate([[-1], place[:-1]])
    forward = np.sign(place - previous - 1) + 1
    # The first word follows no word, not the previous segment of the batch.
    forward[view.target.offsets[:-1][view.target.lengths > 0]] = 0
    return np.asarray(before * np.uint64(900) + link_codes * np.uint64(30) + after + np.uint64(100_000) * forward.astype(np.uint64))


def _reverse_probability(view: View) -> Float64s:
    """Sum of p(source word | word) over the source words that the word explains best."""
    links = view.cached(source_links)
    link_mask = links.place >= 0
    at = view.target.offsets[:-1][view.source.segments[link_mask]] + links.place[link_mask]
    return np.bincount(at, links.probability[link_mask], len(view.target.ids)).astype(np.float64)


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


def _piece(k: int, by: int) -> Column:
    """Column `k` of the pieces' statistics of the word `by` places behind; 0 outside."""

    def column(view: View) -> Float64s:
        values = np.ascontiguousarray(view.cached(piece_statistics)[:, k])
        bits = shifted(view.target, values.view(np.uint64), by)
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


def _key_at(by: int) -> Column:
    return lambda view: shifted(view.target, view.cached(own_keys), by) if by else view.cached(own_keys)


def _pair(left: Column, right: Column) -> Column:
    return lambda view: pair_codes(np.asarray(left(view), np.uint64), np.asarray(right(view), np.uint64))


def _tag_at(by: int) -> Column:
    return lambda view: shifted(view.target, view.cached(_tags), by) if by else view.cached(_tags)


add = WORDS.add
F, A, C = Family.FLUENCY, Family.ADEQUACY, Family.CONFIDENCE
# fmt: off
add("word.always", "word_always", "The same for every word", F, lambda v: np.full(len(v.target.ids), EDGE, np.uint64))
add("word.itself", "word_itself", "The word", F, lambda v: v.cached(own_keys))
add("word.before", "word_before", "The word before it", F, _key_at(-1))
add("word.after", "word_after", "The word after it", F, _key_at(1))
add("word.with_before", "word_with_before", "The word and the one before it", F, _pair(_key_at(-1), _key_at(0)))
add("word.with_after", "word_with_after", "The word and the one after it", F, _pair(_key_at(0), _key_at(1)))
add("word.suffix", "word_suffix", "The last three characters of the word", F,
    lambda v: hash_tokens([word[-SUFFIX:] for word in v.target.vocabulary])[v.target.ids])
add("word.shape", "word_shape", "Capitals, marks, digits and shortness of the word", F, _shapes)
add("word.orders", "word_orders", "Orders of the n-grams that the language model knows before, at and after the word", F, _orders,
    TARGET_LM)
add("word.log_prob", "word_log_prob", "Log10 probability of the word after those before it", F,
    lambda v: word_scores(v).log_prob[_at_words(v)], TARGET_LM)
add("word.next_log_prob", "word_next_log_prob", "Log10 probability of the word after it, or of the end", F,
    lambda v: word_scores(v).log_prob[_at_words(v, 1)], TARGET_LM)
add("word.sentence_log_prob", "word_sentence_log_prob", "Log10 probability per word of the translation", F,
    lambda v: ratio(v.cached(target_scores).log_prob, v.target.lengths + 1)[v.target.segments], TARGET_LM)
add("word.place", "word_place", "Place of the word in the translation, from 0 to 1", F,
    lambda v: ratio(np.arange(len(v.target.ids)) - v.target.offsets[:-1][v.target.segments], v.target.lengths[v.target.segments]))
add("word.length_ratio", "word_translation_length_ratio", "Tokens of the translation per source token", A,
    lambda v: ratio(v.target.lengths, v.source.lengths)[v.target.segments])
add("word.copied", "word_copied", "Whether the word stands in the source", A,
    lambda v: v.cached(copied_tokens).astype(np.uint64) + np.uint64(5))
add("word.link", "word_link", "The source word that explains it best", A, _linked_source, LEXICON)
add("word.with_link", "word_with_link", "The word and the source word that explains it best", A, _pair(_key_at(0),
    _linked_source), LEXICON)
add("word.before_link", "word_before_link", "The source word before the linked one", A,
    lambda v: _source_at(v, -1, v.cached(own_source_keys)), LEXICON)
add("word.after_link", "word_after_link", "The source word after the linked one", A,
    lambda v: _source_at(v, 1, v.cached(own_source_keys)), LEXICON)
add("word.link_pattern", "word_link_pattern", "Whether the words before, at and after have links, and whether these go forward", A,
    _link_pattern, LEXICON)
add("word.link_probability", "word_link_probability", "Probability of the word given the linked source word", A,
    lambda v: v.cached(target_links).probability.astype(np.float64), LEXICON)
add("word.total_probability", "word_total_probability", "Probability of the word summed over all source words", A,
    lambda v: v.cached(target_links).total, LEXICON)
add("word.reverse_probability", "word_reverse_probability",
    "Probabilities of the source words that the word explains best, summed", A,
    _reverse_probability, REVERSE)
add("word.sentence_links", "word_sentence_links", "Share of the translation's words with a link", A,
    _segment_mean(lambda v: (v.cached(target_links).place >= 0).astype(np.float64)), LEXICON)
add("word.tag", "word_tag", "Part of speech of the word", F, _tag_at(0), TARGET_TAGGER)
add("word.tag_before", "word_tag_before", "Parts of speech of the word and the one before", F, _pair(_tag_at(-1), _tag_at(0)),
    TARGET_TAGGER)
add("word.tag_after", "word_tag_after", "Parts of speech of the word and the one after", F, _pair(_tag_at(0), _tag_at(1)),
    TARGET_TAGGER)
add("word.tag_link", "word_tag_link", "Parts of speech of the word and of the linked source word", A,
    _pair(_tag_at(0), lambda v: _source_at(v, 0, v.cached(_source_tags))), TARGET_TAGGER, SOURCE_TAGGER, LEXICON)
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
