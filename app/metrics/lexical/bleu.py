"""BLEU (Papineni et al. 2002) with sacreBLEU's smoothing (Chen and Cherry 2014)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.counting import Symbols, ngram_counts
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.lexical.matching import clipped_matches
from app.metrics.lexical.ngram_kernels import CLIPPED_MATCHES, match_ngrams
from app.metrics.numbering import Numbering, interleave
from app.metrics.plausible import are_counts, are_ngrams_of
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.tokens.texts import symbols_of
from app.text.reading.options import ParsedOption, shortest

__all__ = ["ORDER", "SMOOTHING", "SMOOTHINGS", "Bleu", "PreparedBleu"]

ORDER = 4
# Default value of each smoothing method; None if it takes no value.
SMOOTHINGS = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
WITH_VALUE = re.compile(r"(floor|add-k)(?:\[(\d{1,3}(?:\.\d{1,6})?)\])?")


def _read_smoothing(text: str) -> tuple[str, float | None]:
    """Method and value of ``exp``, ``none``, ``floor``, ``floor[0.05]``, ``add-k[2]``."""
    if text in ("exp", "none"):
        return text, None
    match = WITH_VALUE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return match[1], float(match[2]) if match[2] else SMOOTHINGS[match[1]]


SMOOTHING = ParsedOption(_read_smoothing, "exp, floor, add-k, none; floor and add-k with a value as in floor[0.05]", ("exp", None))


def _two_decimals(value: float) -> str:
    """A number with two decimals, as sacreBLEU prints it, or with all where two change it."""
    return f"{value:.2f}" if round(value, 2) == value else shortest(value)


@dataclass(frozen=True)
class Bleu(Metric):
    """Statistics: hypothesis length, closest reference length, 4 clipped matches, 4 totals.

    Corpus scores use all four orders unless `effective`. Segment scores always use only the orders of which the segment has
    n-grams, like those of sacreBLEU.
    """

    lowercase: bool = False
    tokenise: str = "13a"
    smooth: str = "exp"
    smooth_value: float | None = None
    effective: bool = False
    name: str = "bleu"

    def prepare(self, references: Sequence[Segments]) -> "PreparedBleu":
        """Tokenise the references once."""
        return PreparedBleu(self, references)

    def counting(self) -> "BleuCounting":
        """Conversion of counts of word n-grams."""
        return BleuCounting(Numbering(METRIC_TOKENISERS[self.tokenise], self.lowercase))

    def options(self) -> str:
        """Case, effective order, tokeniser and smoothing, as in sacreBLEU's signature of corpus BLEU."""
        smooth = self.smooth if self._value is None else f"{self.smooth}[{_two_decimals(self._value)}]"
        effective = "yes" if self.effective else "no"
        return f"case:{'lc' if self.lowercase else 'mixed'}|eff:{effective}|tok:{self.tokenise}|smooth:{smooth}"

    @property
    def _value(self) -> float | None:
        return SMOOTHINGS[self.smooth] if self.smooth_value is None else self.smooth_value

    def score(self, sums: Float64s) -> Float64s:
        """Corpus BLEU of each row."""
        return self._scores(sums, self.effective)

    def segment_scores(self, statistics: Float64s) -> Float64s:
        """BLEU with effective order of each row."""
        return self._scores(statistics, effective=True)

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of counts whose totals fit the length, with no more matches than totals."""
        matches, totals = statistics[:, 2 : 2 + ORDER], statistics[:, 2 + ORDER :]
        mask = are_counts(statistics) & are_ngrams_of(statistics[:, 0], totals) & (matches <= totals).all(1)
        # A longer match contains a shorter one. With several references, clipping may use another reference for the shorter one.
        return np.asarray(mask & ((np.diff(matches) <= 0).all(1) | (references > 1)))

    def reference_columns(self, width: int) -> Sequence[int]:
        """The column of the reference's length."""
        return (1,)

    def _scores(self, rows: Float64s, effective: bool) -> Float64s:
        length, closest = rows[:, 0], rows[:, 1]
        matches, totals = rows[:, 2 : 2 + ORDER], rows[:, 2 + ORDER :]
        any_match = matches.any(1)
        if self.smooth == "add-k":
            bonus = (self._value or 0.0) * np.array([0.0, 1.0, 1.0, 1.0])
            matches, totals = matches + bonus, totals + bonus
        # Orders past the first without n-grams do not exist.
        exists = np.cumprod(totals > 0, axis=1, dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(exists, matches / totals, 0.0)
            zero = exists & (matches == 0)
            if self.smooth == "exp":
                shares = np.where(zero, 1.0 / (2.0 ** np.cumsum(zero, axis=1) * totals), shares)
            elif self.smooth == "floor":
                shares = np.where(zero, (self._value or 0.0) / totals, shares)
            # An unsmoothed zero has sacreBLEU's value of log(0).
            logs = np.where(shares > 0, np.log(100.0 * shares), -9999999999.0)
            penalty = np.where(length < closest, np.exp(1.0 - closest / length), 1.0)
            penalty = np.where(length > 0, penalty, 0.0)
            mean = np.where(exists, logs, 0.0).sum(1) / np.maximum(exists.sum(1), 1) if effective else logs.sum(1) / ORDER
        # Rounding of logarithms and exponentials may lift a score above 100.
        return np.asarray(np.where(any_match, np.minimum(penalty * np.exp(mean), 100.0), 0.0))


class PreparedBleu(PreparedMetric):
    """Numbered references of one BLEU."""

    joins_systems = True

    def __init__(self, metric: Bleu, references: Sequence[Segments]) -> None:
        self._words = partial(symbols_of, METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._references = len(references)
        self._symbols, self._offsets = interleave([self._words(segments) for segments in references])

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 10 counts; shape (h, 10)."""
        symbols, offsets = self._words(hypotheses)
        lengths = np.diff(self._offsets).reshape(-1, self._references)
        rows = reference_rows(len(hypotheses), len(lengths), reference_of)
        if self._references == 1:
            matches = clipped_matches(symbols, offsets, self._symbols, self._offsets, rows, ORDER)
        else:
            counts = match_ngrams(symbols, offsets, self._symbols, self._offsets, self._references, rows, ORDER)
            matches = counts[:, :, CLIPPED_MATCHES]
        length = np.diff(offsets)
        statistics = np.empty((len(rows), 2 + 2 * ORDER))
        statistics[:, 0] = length
        # The closest reference length; of two equally close lengths the shorter.
        closest = lengths[rows]
        if self._references > 1:
            distance = np.abs(closest - length[:, None])
            closest = np.where(distance == distance.min(1, keepdims=True), closest, np.iinfo(np.int64).max)
        statistics[:, 1] = closest.min(1)
        statistics[:, 2 : 2 + ORDER] = matches
        statistics[:, 2 + ORDER :] = ngram_counts(offsets, ORDER)
        return statistics


@dataclass(frozen=True)
class BleuCounting:
    """BLEU's statistics from counts of n-grams."""

    numbering: Numbering

    def symbols(self, segments: Segments) -> Sequence[Symbols]:
        """One block of words."""
        return [Symbols(*self.numbering.number(segments), ORDER)]

    def statistics(self, hypothesis_counts: Float64s, reference_counts: Float64s, matches: Float64s) -> Float64s:
        """Rows of 10 counts; shape (h, 10)."""
        return np.column_stack([hypothesis_counts[:, 0], reference_counts[:, 0], matches, hypothesis_counts])
