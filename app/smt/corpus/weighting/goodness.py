"""Scores of sentence pairs that say how much they should count: reliable links, in-domain words, recent text."""

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
    "span_weights",
    "years_ago",
    "years_by_corpus",
    "years_by_line",
]

AlignmentForm = Literal["ratio", "power", "minmax"]
ALIGNMENT_FORMS: Final = ("ratio", "power", "minmax")
# Days of a span; t is in years for all, so that the oldest text weighs the same however time is cut (Shah et al. 2011, section 3).
SPANS: Final = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
YEAR: Final = 365.25


def alignment_scores(log_probs: Float64s, smoothing: float, form: AlignmentForm = "ratio") -> Float64s:
    """Length-normalised alignment scores, flattened to (0, 1]; `minmax` to [0, 1]. Shape (pairs,).

    `log_probs` of shape (pairs, 2) are natural logarithms per word in both directions, ln a^(1/n), of `assay resources align`;
    x is the mean of the two probabilities. `ratio` is ``log(smoothing x_max) / log(smoothing x)``, for which smoothing x_max is to
    be below 1; `power` is ``(x / x_max) ** smoothing``; `minmax` is ``log(smoothing x)`` between its least and its most, on which
    the smoothing has no effect. Shah, Barrault and Schwenk (2010, eq. 3; 2012, eq. 6) say that the score is normalised, and not
    how. InputError where nothing is to be divided, or the smoothing is outside its range.
    """
    if not len(log_probs):
        return np.zeros(0)
    # ln of the mean, without leaving logarithms: long sentences may have very small probabilities.
    logs = np.logaddexp(log_probs[:, 0], log_probs[:, 1]) - np.log(2)
    most = float(logs.max())
    if not smoothing > 0:
        raise InputError("invalid-request", "the smoothing of alignment scores is above 0", ("--smoothing",))
    if form == "power":
        return np.asarray(np.exp(smoothing * (logs - most)))
    if form == "minmax":
        least = float(logs.min())
        return np.asarray((logs - least) / (most - least)) if most > least else np.ones(len(logs))
    flat = np.log(smoothing) + logs
    highest = np.log(smoothing) + most
    if highest >= 0:
        detail = f"for `ratio` the smoothing times the highest score is below 1: at most {np.exp(-most):.4g} here"
        raise InputError("invalid-request", detail, ("--smoothing",))
    return np.asarray(highest / flat)


def years_ago(days: Int64s, span: str = "year") -> Float64s:
    """Years from the span of each day to the most recent one, spans counted whole: 0 for all days of the last."""
    if not len(days):
        return np.zeros(0)
    return np.asarray(np.floor((days.max() - days) / SPANS[span]) * (SPANS[span] / YEAR))


def years_by_line(pairs: int, spans: int, years: float) -> Float64s:
    """Years to the end of the text where its lines are in the order of time and are cut into as many spans of the same size."""
    place = np.arange(pairs) * spans // max(pairs, 1)
    return np.asarray((spans - 1 - place) * (years / spans))


def years_by_corpus(labels: Labels, spans: int, years: float) -> Float64s:
    """The same where the lines of each corpus are in the order of time, whatever stands between them."""
    times = np.zeros(len(labels))
    for corpus in range(len(labels.names)):
        rows = np.flatnonzero(labels.ids == corpus)
        times[rows] = years_by_line(len(rows), spans, years)
    return times


def decay(years: Float64s, alpha: float | Float64s) -> Float64s:
    """``exp(-alpha t)`` of each pair, with a rate for all or its own (Shah et al. 2011, eq. 1, before it is normalised)."""
    return np.asarray(np.exp(-alpha * years))


def span_weights(years: Float64s, alpha: float) -> tuple[Float64s, Float64s]:
    """The distinct times, the most recent first, and the weights of their spans, which sum to 1."""
    times = np.unique(years)
    weights = decay(times, alpha)
    return times, np.asarray(weights / weights.sum())


def inverse_perplexities(model: LanguageModel, column: TokenColumn) -> Float64s:
    """1 / perplexity of each segment, its end counted as a word, unknown words with the probability that the model has for them."""
    _, words = model.score_both(column)
    # Words of a segment are followed by its end.
    rows = np.repeat(np.arange(len(column)), column.lengths + 1)
    totals = np.bincount(rows, words.log_prob, len(column))
    return np.asarray(10.0 ** (totals / (column.lengths + 1)))
