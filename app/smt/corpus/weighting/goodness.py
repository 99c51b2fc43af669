"""Scores for weights of sentence pairs: reliability of links, in-domain words, recency."""

from typing import Final, Literal

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.resources.language_models import LanguageModel
from app.smt.corpus.weighting.columns import Labels
from app.text.batch import TokenColumn

__all__ = [
    "ALIGNMENT_FORMS",
    "SPANS",
    "AlignmentForm",
    "alignment_scores",
    "decay",
    "inverse_perplexities",
    "years_ago",
    "years_by_corpus",
    "years_by_line",
]

AlignmentForm = Literal["ratio", "power", "minmax"]
ALIGNMENT_FORMS: Final = ("ratio", "power", "minmax")
# Days of a span. Time is in years for all spans, so the weight of the oldest text does not depend on them (Shah et al. 2011, 3).
SPANS: Final = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
YEAR: Final = 365.25


def alignment_scores(log_probs: Float64s, smoothing: float, form: AlignmentForm = "ratio") -> Float64s:
    """Length-normalised alignment scores in (0, 1], with `minmax` in [0, 1]; shape (pairs,).

    `log_probs`, shape (pairs, 2), are natural logarithms per word in both directions, ln a^(1/n), from `assay resources align`.
    x is the mean of both probabilities.

    - `ratio`: ``log(smoothing x_max) / log(smoothing x)``; smoothing x_max must be below 1
    - `power`: ``(x / x_max) ** smoothing``
    - `minmax`: ``log(smoothing x)`` scaled to [0, 1]; the smoothing cancels out

    Shah, Barrault and Schwenk (2010, eq. 3; 2012, eq. 6) normalise the score, but do not say how. InputError for a smoothing
    outside its range.
    """
    if not len(log_probs):
        return np.zeros(0)
    # The mean stays in logarithms, since long sentences have tiny probabilities.
    logs = np.logaddexp(log_probs[:, 0], log_probs[:, 1]) - np.log(2)
    maximum = float(logs.max())
    if not smoothing > 0:
        raise InputError("invalid-request", "the smoothing of alignment scores is above 0", ("--smoothing",))
    if form == "power":
        return np.asarray(np.exp(smoothing * (logs - maximum)))
    if form == "minmax":
        minimum = float(logs.min())
        return np.asarray((logs - minimum) / (maximum - minimum)) if maximum > minimum else np.ones(len(logs))
    flat = np.log(smoothing) + logs
    highest = np.log(smoothing) + maximum
    if highest >= 0:
        detail = f"for `ratio` the smoothing times the highest score is below 1: at most {np.exp(-maximum):.4g} here"
        raise InputError("invalid-request", detail, ("--smoothing",))
    return np.asarray(highest / flat)


def years_ago(days: Int64s, span: str = "year") -> Float64s:
    """Years from the span of each day to the latest span, in complete spans, 0 for days of the latest; shape (pairs,)."""
    if not len(days):
        return np.zeros(0)
    return np.asarray(np.floor((days.max() - days) / SPANS[span]) * (SPANS[span] / YEAR))


def years_by_line(pairs: int, spans: int, years: float) -> Float64s:
    """Years to the end of a chronological text, cut into `spans` spans of equal size; shape (pairs,)."""
    place = np.arange(pairs) * spans // max(pairs, 1)
    return np.asarray((spans - 1 - place) * (years / spans))


def years_by_corpus(labels: Labels, spans: int, years: float) -> Float64s:
    """Years to the end of each corpus, as `years_by_line`, for corpora with chronological lines; shape (pairs,)."""
    times = np.zeros(len(labels))
    for corpus in range(len(labels.names)):
        rows = np.flatnonzero(labels.ids == corpus)
        times[rows] = years_by_line(len(rows), spans, years)
    return times


def decay(years: Float64s, alpha: float | Float64s) -> Float64s:
    """``exp(-alpha t)`` of each pair, with a common rate or rates of pairs (Shah et al. 2011, eq. 1, without normalisation)."""
    return np.asarray(np.exp(-alpha * years))


def inverse_perplexities(model: LanguageModel, column: TokenColumn) -> Float64s:
    """1 / perplexity of each segment, with its end as a word, and with the model probability of unknown words; shape (n,)."""
    _, words = model.score_both(column)
    # The end follows the words of a segment.
    rows = np.repeat(np.arange(len(column)), column.lengths + 1)
    totals = np.bincount(rows, words.log_prob, len(column))
    return np.asarray(10.0 ** (totals / (column.lengths + 1)))
