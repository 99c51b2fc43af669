"""Summaries of a word tagger's probabilities over a segment.

A tagger learns from annotations of single words, which averages over segments do not show.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.needs import Need, Resource, required
from app.features.view import View, WordJudge, part, ratio
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS

__all__ = ["WORD_SUMMARIES"]

WORD_SUMMARIES: Final = FeatureGroup("Words that look wrong", "Specia et al. 2020, WMT20 shared task on quality estimation, task 2")
# Log-odds are cut at this value.
SUREST: Final = 1e-4
SUMMARIES: Final = (
    ("mean", "Mean probability that a word is wrong"),
    ("highest", "Highest probability that a word is wrong"),
    ("share", "Share of words that are rather wrong than right"),
    ("odds", "Mean log-odds that a word is wrong"),
    ("spread", "Standard deviation of the probabilities of words"),
    ("worst_quarter", "Mean probability of the worst quarter of the words"),
    ("gap_mean", "Mean probability that words are missing in a gap"),
    ("gap_highest", "Highest probability that words are missing in a gap"),
)


def _summaries(judge: WordJudge, view: View) -> Float64s:
    """Columns in the order of SUMMARIES; (n, 8), all 0 for a segment without words."""
    tags = judge.tag(view)
    p, lengths = tags.words, np.diff(tags.word_offsets)
    n = len(lengths)
    segment = np.repeat(np.arange(n), lengths)
    safe = np.clip(p, SUREST, 1 - SUREST)

    def mean(values: Float64s) -> Float64s:
        return ratio(np.bincount(segment, weights=values, minlength=n), lengths)

    average = mean(p)
    order = np.lexsort((-p, segment))
    rank = np.arange(len(p)) - np.repeat(tags.word_offsets[:-1], lengths)
    quarter = np.maximum(1, lengths // 4)
    worst = np.bincount(segment, weights=np.where(rank < quarter[segment], p[order], 0.0), minlength=n)
    gap_lengths = np.diff(tags.gap_offsets)
    gaps = np.bincount(np.repeat(np.arange(n), gap_lengths), weights=tags.gaps, minlength=n)
    columns = (
        average,
        _highest(p, tags.word_offsets),
        mean((p > 0.5).astype(np.float64)),
        mean(np.log(safe / (1 - safe))),
        np.sqrt(mean((p - average[segment]) ** 2)),
        np.where(lengths > 0, worst / quarter, 0.0),
        ratio(gaps, gap_lengths),
        _highest(tags.gaps, tags.gap_offsets),
    )
    return np.stack(columns, axis=1)


def _highest(values: Float64s, offsets: Int64s) -> Float64s:
    lengths = np.diff(offsets)
    out = np.zeros(len(lengths))
    filled_rows = lengths > 0
    if filled_rows.any():
        out[filled_rows] = np.maximum.reduceat(values, offsets[:-1][filled_rows])
    return out


def _by_texts(view: View) -> Float64s:
    return _summaries(required(view.resources.word_tagger, Resource.WORD_TAGGER), view)


def _by_tokens(view: View) -> Float64s:
    return _summaries(required(view.resources.nmt_word_tagger, Resource.NMT_WORD_TAGGER), view)


def _declare(prefix: str, block: Callable[[View], Float64s], evidence: str, *needs: Need) -> None:
    for k, (name, description) in enumerate(SUMMARIES):
        text = f"{description}, by a tagger that sees {evidence}"
        WORD_SUMMARIES.add(f"{prefix}.{name}", f"{prefix}_{name}", text, Family.ADEQUACY, part(block, k), *needs)


_declare("bad", _by_texts, "the texts", Resource.WORD_TAGGER)
_declare("bad_nmt", _by_tokens, "the system's tokens too", Resource.NMT_WORD_TAGGER, TOKENS, TOKEN_LOG_PROBS)
