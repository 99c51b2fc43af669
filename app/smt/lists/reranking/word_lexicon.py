"""A word lexicon in a file of its own, with a card, and its scores of hypotheses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.bags_of_words import word_lexicon as training
from app.building.carded_arrays import read_arrays, write_arrays
from app.errors import InputError
from app.resources.bags_of_words import word_lexicon
from app.resources.bags_of_words.word_lexicon import ARRAYS, bags_of
from app.running.journal import SILENT, Journal
from app.text.batch import TokenColumn

__all__ = ["WordLexicon", "train_word_lexicon"]

KIND: Final = "word-lexicon"


@dataclass(frozen=True, eq=False)
class WordLexicon(word_lexicon.WordLexicon):
    """A word lexicon with a `card` of its origin."""

    card: Mapping[str, Any] = field(default_factory=dict)

    def score(self, sources: TokenColumn, hypotheses: TokenColumn, segment_of: Int64s) -> Float64s:
        """Return the sum of the log-odds of a hypothesis' distinct words, given the source of its segment; (h,).

        Words outside the lexicon add nothing.
        """
        words = bags_of(hypotheses, self.target).tocoo()
        odds = self.log_odds(sources)[segment_of[words.row], words.col]
        return np.asarray(np.bincount(words.row, odds, len(hypotheses)), np.float64)

    def save(self, path: Path) -> None:
        """Write arrays and card; equal lexicons give equal bytes."""
        write_arrays(path, KIND, self.arrays(), self.card)

    @classmethod
    def load(cls, path: Path) -> "WordLexicon":
        """Read a file of `save`; InputError for any other or damaged file."""
        arrays, card = read_arrays(path, KIND, "word lexicon")
        if arrays.keys() != set(ARRAYS):
            raise InputError("invalid-table", f"{path.name} is not a word lexicon", (str(path),))
        lexicon = cls(**arrays, card=card)
        if not lexicon.is_consistent:
            raise InputError("invalid-table", f"{path.name} is damaged: its arrays do not fit together", (str(path),))
        return lexicon


def train_word_lexicon(
    sources: TokenColumn, targets: TokenColumn, passes: int = 4, journal: Journal = SILENT, seed: int = 1
) -> WordLexicon:
    """Train a lexicon on n segment pairs, as `app.building.bags_of_words.word_lexicon`."""
    lexicon = training.train_word_lexicon(sources, targets, passes, journal, seed)
    return WordLexicon(*(getattr(lexicon, name) for name in ARRAYS))
