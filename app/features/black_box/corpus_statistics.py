"""Corpus statistics: n-gram frequencies of the source, translations per word, language models of both sides."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.kernels import segment_sums
from app.features.needs import Need, Resource, required
from app.features.view import View, part, ratio
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


def _translations(view: View) -> Float64s:
    """Mean number of translations per word at each threshold; shape (n, 15).

    Plain, multiplied by the word's frequency, and divided by it.
    """
    table, counts = required(view.resources.lexical_table, LEXICON), required(view.resources.source_counts, COUNTS)
    hashes = view.source.hashes
    rows = table.rows(hashes)
    plain = np.empty((len(hashes), len(THRESHOLDS)))
    for k, threshold in enumerate(THRESHOLDS):
        plain[:, k] = np.where(rows >= 0, table.per_word(threshold)[rows], 0) if len(table.source) else 0
    frequencies = counts.word_frequencies(hashes)
    per_word = np.concatenate([plain, plain * frequencies[:, None], ratio(plain, frequencies)], axis=1)
    return ratio(segment_sums(per_word, view.source.ids, view.source.offsets), view.source.lengths)


def _plain_translations(view: View) -> Float64s:
    """The first five columns, for pairs without counts."""
    if view.resources.source_counts is not None:
        return view.cached(_translations)[:, : len(THRESHOLDS)]
    table = required(view.resources.lexical_table, LEXICON)
    per_word = np.stack([table.translations(view.source.hashes, threshold) for threshold in THRESHOLDS], axis=1)
    return ratio(segment_sums(per_word, view.source.ids, view.source.offsets), view.source.lengths)


def _shares(view: View, order: int) -> Float64s:
    return required(view.resources.source_counts, COUNTS).shares(view.source, order)


def _mean_frequency(view: View) -> Float64s:
    frequencies = required(view.resources.source_counts, COUNTS).word_frequencies(view.source.hashes)
    sums = segment_sums(frequencies[:, None], view.source.ids, view.source.offsets)
    return ratio(sums[:, 0], view.source.lengths)


add = CORPUS_STATISTICS.add
# fmt: off


def _declare_language_model(
    side: str,
    first: int,
    need: Need,
    family: Family,
    scores: Callable[[View], SentenceScores],
    tokens: Callable[[View], TokenColumn],
) -> None:
    text = "source" if side == "source" else "translation"
    add(str(first), f"{side}_lm_log_prob", f"Language-model log10 probability of the {text}", family,
        lambda v: v.cached(scores).log_prob, need)
    add(str(first + 1), f"{side}_lm_perplexity", f"Language-model perplexity of the {text}", family,
        lambda v: perplexity(v.cached(scores), tokens(v).lengths, True), need)
    add(str(first + 2), f"{side}_lm_perplexity_without_end",
        f"Language-model perplexity of the {text}, the end of sentence not counted as a word", family,
        lambda v: perplexity(v.cached(scores), tokens(v).lengths, False), need)
    add(f"lm.{side}.unknown", f"{side}_unknown_words", f"Share of tokens of the {text} that the language model does not know",
        family, lambda v: ratio(v.cached(scores).unknown, tokens(v).lengths), need, source=WMT12)
    add(f"lm.{side}.order", f"{side}_lm_order",
        f"Mean order of the n-grams that the language model knows in the {text}, unknown words 0: how little it backs off",
        family, lambda v: v.cached(scores).matched_orders / (tokens(v).lengths + 1), need, source="Raybaud et al. 2011")


_declare_language_model("source", 1009, SOURCE_LM, COMPLEXITY, source_scores, lambda view: view.source)
_declare_language_model("target", 1012, TARGET_LM, FLUENCY, target_scores, lambda view: view.target)
for k, threshold in enumerate(THRESHOLDS):
    add(str(1016 + 2 * k), f"translations_{threshold}", f"Translations per source word with p > {threshold}", COMPLEXITY,
        part(_plain_translations, k), LEXICON)
    add(str(1026 + 2 * k), f"translations_{threshold}_frequency",
        f"Translations per source word with p > {threshold}, each word weighted by its corpus frequency", COMPLEXITY,
        part(_translations, 5 + k), LEXICON, COUNTS)
    add(str(1036 + 2 * k), f"translations_{threshold}_inverse_frequency",
        f"Translations per source word with p > {threshold}, each word weighted by its inverse corpus frequency", COMPLEXITY,
        part(_translations, 10 + k), LEXICON, COUNTS)
for order, name in enumerate(("unigrams", "bigrams", "trigrams")):
    shares = partial(_shares, order=order + 1)
    for quartile in range(4):
        rarity = ("the rarest", "the second rarest", "the second commonest", "the commonest")[quartile]
        add(str(1046 + 4 * order + quartile), f"{name}_quartile_{quartile + 1}",
            f"Share of source {name} of {rarity} frequency quartile", COMPLEXITY, part(shares, quartile), COUNTS)
    add(str(1058 + order), f"{name}_seen", f"Share of distinct source {name} seen in the corpus", COMPLEXITY,
        part(shares, 4), COUNTS)
add("1061", "source_word_frequency", "Mean corpus frequency of source words", COMPLEXITY, _mean_frequency, COUNTS)
# fmt: on
