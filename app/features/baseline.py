"""The 17 baseline features of QuEst (Specia et al. 2013; ids are QuEst's).

Differences from QuEst++, all deliberate, are listed in docs/features.md: punctuation is counted as
the description says, lengths are in code points, and an empty segment has no tokens at all.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.features.counting import per_segment_share, per_segment_sum, ratio
from app.features.declaration import Feature, Need
from app.features.requirements import PairResources
from app.text.arrays import Float64s
from app.text.batch import SegmentBatch, TokenColumn

__all__ = ["BASELINE", "compute_baseline", "lexical_weight"]

QUEST: Final = "Specia et al. 2013, QuEst"
PUNCTUATION: Final = frozenset(".,:;?!¿¡،؛؟।॥。，、：；！？")


def _feature(number: int, name: str, description: str, family: str, *needs: Need) -> Feature:
    return Feature(str(number), name, description, family, QUEST, needs)


SOURCE_LM, TARGET_LM = Need.SOURCE_LANGUAGE_MODEL, Need.TARGET_LANGUAGE_MODEL
COUNTS, LEXICON = Need.SOURCE_NGRAM_COUNTS, Need.LEXICAL_TABLE
BASELINE: Final = (
    _feature(1001, "source_tokens", "Number of tokens in the source", "complexity"),
    _feature(1002, "target_tokens", "Number of tokens in the translation", "fluency"),
    _feature(1006, "source_token_length", "Mean length of source tokens, in characters", "complexity"),
    _feature(1009, "source_lm_log_prob", "Language-model log10 probability of the source", "complexity", SOURCE_LM),
    _feature(1012, "target_lm_log_prob", "Language-model log10 probability of the translation", "fluency", TARGET_LM),
    _feature(1015, "target_repetition", "Occurrences per distinct word of the translation", "fluency"),
    _feature(1022, "translations_0.2", "Translations per source word with p > 0.2", "complexity", LEXICON),
    _feature(
        1036,
        "translations_0.01_inverse_frequency",
        "Translations per source word with p > 0.01, each word weighted by its inverse corpus frequency",
        "complexity",
        LEXICON,
        COUNTS,
    ),
    _feature(1046, "unigrams_quartile_1", "Share of source unigrams of the rarest quartile", "complexity", COUNTS),
    _feature(1049, "unigrams_quartile_4", "Share of source unigrams of the commonest quartile", "complexity", COUNTS),
    _feature(1050, "bigrams_quartile_1", "Share of source bigrams of the rarest quartile", "complexity", COUNTS),
    _feature(1053, "bigrams_quartile_4", "Share of source bigrams of the commonest quartile", "complexity", COUNTS),
    _feature(1054, "trigrams_quartile_1", "Share of source trigrams of the rarest quartile", "complexity", COUNTS),
    _feature(1057, "trigrams_quartile_4", "Share of source trigrams of the commonest quartile", "complexity", COUNTS),
    _feature(1058, "unigrams_seen", "Share of distinct source unigrams seen in the corpus", "complexity", COUNTS),
    _feature(1074, "source_punctuation", "Number of punctuation marks in the source", "complexity"),
    _feature(1075, "target_punctuation", "Number of punctuation marks in the translation", "fluency"),
)


def compute_baseline(batch: SegmentBatch, resources: PairResources, wanted: frozenset[str]) -> Mapping[str, Float64s]:
    """Columns of the wanted baseline features, each of shape (n,)."""
    source, target = batch.source, batch.translation
    columns: dict[str, Float64s] = {
        "1001": source.lengths.astype(np.float64),
        "1002": target.lengths.astype(np.float64),
        "1006": ratio(per_segment_sum(source, _characters(source)), source.lengths),
        "1015": ratio(target.lengths, _distinct(target)),
        "1074": per_segment_sum(source, _marks(source)),
        "1075": per_segment_sum(target, _marks(target)),
    }
    if "1009" in wanted:
        columns["1009"] = resources.need_source_model().score(source).log_prob
    if "1012" in wanted:
        columns["1012"] = resources.need_target_model().score(target).log_prob
    if wanted & {"1022", "1036"}:
        columns |= _lexical(source, resources, wanted)
    if wanted & {"1046", "1049", "1050", "1053", "1054", "1057", "1058"}:
        columns |= _quartiles(source, resources)
    return {name: column for name, column in columns.items() if name in wanted}


def _characters(column: TokenColumn) -> Float64s:
    return np.array([len(word) for word in column.vocabulary], np.float64)


def _marks(column: TokenColumn) -> Float64s:
    return np.array([sum(c in PUNCTUATION for c in word) for word in column.vocabulary], np.float64)


def _types(column: TokenColumn) -> tuple[np.ndarray, np.ndarray]:
    """Distinct (segment, word) pairs, as two arrays."""
    rows = np.repeat(np.arange(len(column)), column.lengths)
    keys = np.unique(rows * max(1, len(column.vocabulary)) + column.ids)
    return keys // max(1, len(column.vocabulary)), keys % max(1, len(column.vocabulary))


def _distinct(column: TokenColumn) -> Float64s:
    return np.bincount(_types(column)[0], minlength=len(column)).astype(np.float64)


def lexical_weight(translations: np.ndarray, frequencies: np.ndarray) -> Float64s:
    """Number of translations over corpus frequency; words the corpus does not have are dropped."""
    return ratio(translations.astype(np.float64), frequencies)


def _lexical(source: TokenColumn, resources: PairResources, wanted: frozenset[str]) -> dict[str, Float64s]:
    table = resources.need_lexical_table()
    columns = {"1022": ratio(per_segment_sum(source, table.translations(source.hashes, 0.2)), source.lengths)}
    if "1036" in wanted:
        frequencies = resources.need_source_counts().word_frequencies(source.hashes)
        weighted = lexical_weight(table.translations(source.hashes, 0.01), frequencies)
        columns["1036"] = ratio(per_segment_sum(source, weighted), source.lengths)
    return columns


def _quartiles(source: TokenColumn, resources: PairResources) -> dict[str, Float64s]:
    counts = resources.need_source_counts()
    n = len(source)
    columns: dict[str, Float64s] = {}
    for order, first, last in ((1, "1046", "1049"), (2, "1050", "1053"), (3, "1054", "1057")):
        found, rows = counts.frequencies(source, order)
        cut = counts.cutoffs[order - 1]
        columns[first] = per_segment_share(rows, (found > 0) & (found <= cut[0]), n)
        columns[last] = per_segment_share(rows, (found > cut[2]) & (found <= cut[3]), n)
    rows, words = _types(source)
    seen = counts.kept_frequencies(source.hashes) > 0
    columns["1058"] = per_segment_share(rows, seen[words], n)
    return columns
