"""Summaries of a word tagger's probabilities over a segment.

A tagger learns from annotations of single words, which averages over segments do not show.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.needs import Need, Resource, required
from app.features.plans.formulas import part
from app.features.view import View, WordJudge
from app.features.word_level.summary_kernel import summarise
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
    """Columns in the order of SUMMARIES; (n, 8)."""
    tags = judge.tag(view)
    safe = np.clip(tags.words, SUREST, 1 - SUREST)
    summaries: Float64s = summarise(tags.words, np.log(safe / (1 - safe)), tags.word_offsets, tags.gaps, tags.gap_offsets)
    return summaries


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
