"""Features of every word of a translation and of the gaps between words: QuEst++'s word level, as keys and numbers."""

from app.features.word_level.gaps import GAPS, gap_offsets
from app.features.word_level.summaries import WORD_SUMMARIES
from app.features.word_level.words import WORDS

__all__ = ["GAPS", "WORDS", "WORD_FEATURES", "WORD_SUMMARIES", "gap_offsets"]

WORD_FEATURES = {feature.id: feature for group in (WORDS, GAPS) for feature in group}
