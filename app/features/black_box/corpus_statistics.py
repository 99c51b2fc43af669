"""Corpus statistics: n-gram frequencies of the source, translations per word, language models of both sides."""

from functools import partial
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.black_box.sum_kernels import model_numbers, translation_sums
from app.features.black_box.surface import SOURCE_TOKENS, TARGET_TOKENS
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import segment_sums
from app.features.needs import Need, Resource, required
from app.features.plans.formulas import Block, Formula, Quantity, part, ratio_of
from app.features.view import View, ratio
from app.resources.language_models import SentenceScores, WordScores
from app.text.batch import TokenColumn

__all__ = ["CORPUS_STATISTICS", "source_scores", "target_scores", "target_word_scores"]

CORPUS_STATISTICS: Final = FeatureGroup("Language models, frequencies, translations per word", "Specia et al. 2013, QuEst")
COMPLEXITY, FLUENCY = Family.COMPLEXITY, Family.FLUENCY
SOURCE_LM, TARGET_LM = Resource.SOURCE_LANGUAGE_MODEL, Resource.TARGET_LANGUAGE_MODEL
COUNTS, LEXICON = Resource.SOURCE_NGRAM_COUNTS, Resource.LEXICAL_TABLE
WMT12: Final = "Callison-Burch et al. 2012, WMT12 quality estimation, participants' features"
THRESHOLDS: Final = (0.01, 0.05, 0.1, 0.2, 0.5)
# 10 to this power is the largest perplexity.
LARGEST_EXPONENT: Final = 12.0
NO_WORDS, NO_COUNTS = np.zeros(0, np.uint64), np.zeros(0, np.int64)


def source_scores(view: View) -> SentenceScores:
    """Scores by the source language model."""
    return required(view.resources.source_model, SOURCE_LM).score(view.source)


def target_scores(view: View) -> SentenceScores:
    """Scores by the target language model."""
    return view.cached(target_word_scores)[0]


def target_word_scores(view: View) -> tuple[SentenceScores, WordScores]:
    """Scores of segments and of their words by the target language model, in one call."""
    return required(view.resources.target_model, TARGET_LM).score_both(view.target)


def perplexity(scores: SentenceScores, lengths: Int64s, with_end: bool) -> Float64s:
    """10 to the minus mean log10 probability of the known words (SRILM's ppl, and ppl1 without the end).

    At most 1e12; 0 without words.
    """
    token_counts = lengths - scores.unknown + with_end
    power = ratio(-scores.log_prob, token_counts)
    return np.where(token_counts > 0, 10.0 ** np.clip(power, 0, LARGEST_EXPONENT), 0.0)


def _model_numbers(scores: SentenceScores, column: TokenColumn) -> Float64s:
    """Columns of `model_numbers`, with perplexities in the place of their exponents; shape (n, 6)."""
    numbers: Float64s = model_numbers(scores.log_prob, scores.unknown, scores.matched_orders, column.offsets, LARGEST_EXPONENT)
    numbers[:, 1:3] = 10.0 ** numbers[:, 1:3]
    return numbers


def _source_model(view: View) -> Float64s:
    return _model_numbers(view.cached(source_scores), view.source)


def _target_model(view: View) -> Float64s:
    return _model_numbers(view.cached(target_scores), view.target)


def _translations(view: View) -> Float64s:
    """Sums of the translations of words at each threshold; shape (n, 15).

    Plain, multiplied by the word's frequency, and divided by it; the latter are 0 for pairs without counts.
    """
    table, counts, source = required(view.resources.lexical_table, LEXICON), view.resources.source_counts, view.source
    words, word_counts = (NO_WORDS, NO_COUNTS) if counts is None else (counts.words, counts.word_counts)
    sums: Float64s = translation_sums(
        table.source, table.counts_above(THRESHOLDS), words, word_counts, source.hashes, source.ids, source.offsets
    )
    return sums


def _shares(view: View, order: int) -> Float64s:
    return required(view.resources.source_counts, COUNTS).shares(view.source, order)


def _frequencies(view: View) -> Float64s:
    """Sum of the corpus frequencies of source words; shape (n, 1)."""
    frequencies = required(view.resources.source_counts, COUNTS).word_frequencies(view.source.hashes)
    sums: Float64s = segment_sums(frequencies[:, None], view.source.ids, view.source.offsets)
    return sums


def _mean_translations(column: int) -> Formula:
    return ratio_of(part(_translations, column), SOURCE_TOKENS)


add = CORPUS_STATISTICS.add
# fmt: off


def _declare_language_model(side: str, first: int, need: Need, family: Family, numbers: Block, tokens: Quantity) -> None:
    text = "source" if side == "source" else "translation"
    add(str(first), f"{side}_lm_log_prob", f"Language-model log10 probability of the {text}", family, part(numbers, 0), need)
    add(str(first + 1), f"{side}_lm_perplexity", f"Language-model perplexity of the {text}", family, part(numbers, 1), need)
    add(str(first + 2), f"{side}_lm_perplexity_without_end",
        f"Language-model perplexity of the {text}, the end of sentence not counted as a word", family, part(numbers, 2), need)
    add(f"lm.{side}.unknown", f"{side}_unknown_words", f"Share of tokens of the {text} that the language model does not know",
        family, ratio_of(part(numbers, 3), tokens), need, source=WMT12)
    add(f"lm.{side}.order", f"{side}_lm_order",
        f"Mean order of the n-grams that the language model knows in the {text}, unknown words 0: how little it backs off",
        family, ratio_of(part(numbers, 4), part(numbers, 5)), need, source="Raybaud et al. 2011")


_declare_language_model("source", 1009, SOURCE_LM, COMPLEXITY, _source_model, SOURCE_TOKENS)
_declare_language_model("target", 1012, TARGET_LM, FLUENCY, _target_model, TARGET_TOKENS)
for k, threshold in enumerate(THRESHOLDS):
    add(str(1016 + 2 * k), f"translations_{threshold}", f"Translations per source word with p > {threshold}", COMPLEXITY,
        _mean_translations(k), LEXICON)
    add(str(1026 + 2 * k), f"translations_{threshold}_frequency",
        f"Translations per source word with p > {threshold}, each word weighted by its corpus frequency", COMPLEXITY,
        _mean_translations(5 + k), LEXICON, COUNTS)
    add(str(1036 + 2 * k), f"translations_{threshold}_inverse_frequency",
        f"Translations per source word with p > {threshold}, each word weighted by its inverse corpus frequency", COMPLEXITY,
        _mean_translations(10 + k), LEXICON, COUNTS)
for order, name in enumerate(("unigrams", "bigrams", "trigrams")):
    shares = partial(_shares, order=order + 1)
    for quartile in range(4):
        rarity = ("the rarest", "the second rarest", "the second commonest", "the commonest")[quartile]
        add(str(1046 + 4 * order + quartile), f"{name}_quartile_{quartile + 1}",
            f"Share of source {name} of {rarity} frequency quartile", COMPLEXITY, part(shares, quartile), COUNTS)
    add(str(1058 + order), f"{name}_seen", f"Share of distinct source {name} seen in the corpus", COMPLEXITY,
        part(shares, 4), COUNTS)
add("1061", "source_word_frequency", "Mean corpus frequency of source words", COMPLEXITY,
    ratio_of(part(_frequencies, 0), SOURCE_TOKENS), COUNTS)
# fmt: on
