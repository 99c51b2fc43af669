"""Relation of two texts: a weighted sum of readings, and its limits for unrelated texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.text.languages import LanguagePair

__all__ = ["ENGLISH", "Relation"]

ENGLISH = "en"


@dataclass(frozen=True)
class Relation:
    """`weights` of features of readings by id, and limits that most unrelated texts and few translations stay below.

    A pair has its limit in `pairs`, or else that of its other language than English in `languages`. Pairs without English have the
    lower limit of their languages, at the `share` of its distance from `floor`, which nearly all unrelated texts stay above.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[str, float] = field(default_factory=dict)
    languages: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.0
    share: float = 1.0

    def limit(self, pair: LanguagePair) -> float | None:
        """Limit of a pair; None for a language without one."""
        if (pair_limit := self.pairs.get(str(pair))) is not None:
            return pair_limit
        codes = [code for code in pair.listed if code != ENGLISH]
        limits = [self.languages[code] for code in codes if code in self.languages]
        if not codes or len(limits) < len(codes):
            return None
        lower = min(limits)
        return lower if ENGLISH in pair.listed else min(lower, self.floor + self.share * (lower - self.floor))
