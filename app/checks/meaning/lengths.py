"""Translations that lack most of their source, or add as much again, by the usual lengths of languages."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from app.checks.declarations import SegmentWarning

__all__ = ["FEWEST_CHARACTERS", "FILE", "unusual_length"]

# Written by scripts/length_ratios.py.
FILE: Final = Path(__file__).with_name("length_ratios.json")
# Shorter texts, in characters of English, vary too much.
FEWEST_CHARACTERS: Final = 40
SHORTEST: Final = 0.4
LONGEST: Final = 2.5
# A shorter translation has lost most of its source for certain.
LIMIT: Final = 1 / 3


@cache
def length_ratios() -> Mapping[str, float]:
    """Characters of a translation from English per character of its source, by target language."""
    ratios: Mapping[str, float] = json.loads(FILE.read_text("utf-8"))["languages"]
    return ratios


def unusual_length(languages: tuple[str, str], source: str, translation: str) -> SegmentWarning | None:
    """The warning of a translation below 0.4 or above 2.5 of the usual length; None for short texts and other languages. O(length).

    An error: below a third.
    """
    ratios = length_ratios()
    if not ratios.keys() >= set(languages):
        return None
    lengths = [len(text.strip()) / ratios[language] for text, language in zip((source, translation), languages, strict=True)]
    share = lengths[1] / lengths[0] if lengths[0] else 1.0
    if max(lengths) < FEWEST_CHARACTERS or SHORTEST <= share <= LONGEST:
        return None
    # A long translation of a short text may explain it.
    if share > LONGEST and lengths[0] < FEWEST_CHARACTERS:
        return None
    return SegmentWarning("length", severity="error" if share < LIMIT else "warning")
