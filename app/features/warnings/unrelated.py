"""Unrelated translations: the tokens of both texts are less similar than those of translations are.

Vectors of an encoder give the similarities. A logistic regression of them separates translations from translations of
further sources, and each language has the limit that all but a few of the latter stay below (`python -m scripts.unrelated`).
Where the score comes from a cross-encoder, its readings and its limits by pair decide. The numbers cost nothing: the model that
reads the texts has computed them for the score.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.features.encoded import NUMBERS, computed_numbers, computed_readings
from app.features.view import View
from app.features.warnings.declarations import SegmentWarning
from app.text.languages import LanguagePair

__all__ = ["ENGLISH", "FEWEST_TOKENS", "INPUTS", "LONGEST_TOKENS", "Limits", "inputs_of", "limits", "unrelated_translations"]

FILE: Final = Path(__file__).with_name("unrelated.json")
# Names and labels have fewer tokens than this; free translations of them share little with the source.
FEWEST_TOKENS: Final = 5
# Texts with fewer tokens have scores of a wider spread; this is taken from their limit.
SHORT_TOKENS: Final = 12
SHORT_MARGIN: Final = 2.0
# Limits are those of sentences: scores of translations fall with the length, and the encoder cuts long texts.
LONGEST_TOKENS: Final = 200
# Inputs of the regression, in the order of its weights.
INPUTS: Final = ("similarity", "mutual", "mutual_by_length", "shorter", "longer")
PLACES: Final = {name: k for k, (name, _) in enumerate(NUMBERS)}
ENGLISH: Final = "en"


def inputs_of(numbers: Float64s) -> Float64s:
    """Inputs (n, 5) of the regression from the columns of NUMBERS (n, 15); exchanged sides give equal inputs.

    They are the mean similarity of tokens, the share of mutual neighbours, its product with the logarithm of the shorter length,
    and the logarithms of both lengths.
    """

    def column(name: str) -> Float64s:
        return numbers[:, PLACES[name]]

    lengths = column("source.tokens"), column("target.tokens")
    shorter, longer = np.log1p(np.minimum(*lengths)), np.log1p(np.maximum(*lengths))
    similarity = (column("source.mean") + column("target.mean")) / 2
    mutual = (column("source.mutual") + column("target.mutual")) / 2
    return np.stack([similarity, mutual, mutual * shorter, shorter, longer], 1)


@dataclass(frozen=True)
class Limits:
    """The regression of an encoder's similarities, and the limits of scores by language, of its translations from or into English.

    Pairs without English have the lower limit of their languages less `margin`.
    """

    encoder: str
    weights: Float64s
    languages: Mapping[str, float]
    margin: float

    def of(self, pair: LanguagePair) -> float | None:
        """Limit of a pair; None for a language without one."""
        codes = [code for code in pair.listed if code != ENGLISH]
        values = [self.languages[code] for code in codes if code in self.languages]
        if len(values) < len(codes):
            return None
        return min(values) - self.margin * (len(codes) - 1)

    def mask(self, pair: LanguagePair, numbers: Float64s) -> Bools:
        """True for unrelated texts by the columns of NUMBERS (n, 15); shape (n,). Unchecked texts are false."""
        limit = self.of(pair)
        if limit is None:
            return np.zeros(len(numbers), np.bool_)
        tokens = numbers[:, [PLACES["source.tokens"], PLACES["target.tokens"]]]
        shorter, longer = tokens.min(1), tokens.max(1)
        limits_of_rows = np.where(shorter < SHORT_TOKENS, limit - SHORT_MARGIN, limit)
        is_checked = (shorter >= FEWEST_TOKENS) & (longer <= LONGEST_TOKENS)
        return np.asarray(is_checked & (inputs_of(numbers) @ self.weights < limits_of_rows))


@cache
def limits() -> Limits:
    """The limits that ship."""
    stored = json.loads(FILE.read_text("utf-8"))
    weights = np.array([stored["weights"][name] for name in INPUTS], np.float64)
    return Limits(stored["encoder"], weights, stored["languages"], stored["margin"])


def unrelated_translations(view: View) -> list[tuple[SegmentWarning, ...]]:
    """The warning of each unrelated translation; none without vectors of the limits' encoder or readings of a cross-encoder."""
    mask = _mask_by_vectors(view)
    mask = _mask_by_readings(view) if mask is None else mask
    if mask is None:
        return [() for _ in range(len(view))]
    return [(SegmentWarning("unrelated", misleads=True),) if is_unrelated else () for is_unrelated in mask.tolist()]


def _mask_by_vectors(view: View) -> Bools | None:
    numbers, encoder = computed_numbers(view), view.resources.encoder
    if numbers is None or encoder is None or encoder.name != limits().encoder:
        return None
    return limits().mask(view.batch.pair, numbers)


def _mask_by_readings(view: View) -> Bools | None:
    columns, reader = computed_readings(view), view.resources.cross_encoder
    if columns is None or reader is None:
        return None
    limit, weights = reader.relation.get("limits", {}).get(str(view.batch.pair)), reader.relation.get("weights", {})
    if limit is None or not weights.keys() <= columns.keys():
        return None
    shorter, longer = (bound(columns["source"], columns["target"]) for bound in (np.minimum, np.maximum))
    score = np.sum([columns[name] * weight for name, weight in weights.items()], axis=0)
    return np.asarray((shorter >= FEWEST_TOKENS) & (longer <= LONGEST_TOKENS) & (score < limit))
