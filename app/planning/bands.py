"""Bands of planned and paid work: a segment falls into the first band that takes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from app.errors import InputError
from app.planning.acceptance import error_limit, usual_worst
from app.planning.confidence import DIGITS, confidence_of
from app.predictors.labels import Label

__all__ = ["RISK_RATES", "Band", "BandReport", "band_of", "check_bands", "report_bands", "risk_bands"]


@dataclass(frozen=True)
class Band:
    """A band of segments with a confidence of `at_least` or more; a word is paid at `rate` of a word translated from scratch.

    A band with rate 0 takes only segments that may skip review, and all of them where `at_least` is None.
    """

    name: str
    at_least: float | None
    rate: float


# Names, rates and contents of bands by risk. The rates are MateCat's for fair and poor machine translation: a convention, not a
# measurement.
RISK_RATES: Final = (
    ("unseen", 0.0, "segments that can skip review"),
    ("light", 0.27, "segments that need review and are estimated to be no error"),
    ("full", 0.75, "all other segments"),
)


@dataclass(frozen=True)
class BandReport:
    """Contents of a band: number of segments, number of source words, and source words times the band's rate."""

    band: Band
    segments: int
    source_words: int
    paid_words: float


def risk_bands(label: Label, at_worst: float | None) -> tuple[Band, ...]:
    """Bands by risk: no review, light editing, full editing.

    Without a worst label only the empty first band and the last one remain; if no prediction can be an error, the last is
    missing.
    """
    (no_review, free, _), (light, light_rate, _), (full, full_rate, _) = RISK_RATES
    worst = usual_worst(label) if at_worst is None else at_worst
    if worst is None:
        return Band(no_review, None, free), Band(full, 0.0, full_rate)
    # Rounded as the confidences of segments are.
    limit = round(float(confidence_of(label, np.array([error_limit(label, worst)]))[0]), DIGITS)
    bands = Band(no_review, None, free), Band(light, limit, light_rate)
    return (*bands, Band(full, 0.0, full_rate)) if limit > 0 else bands


def check_bands(bands: Sequence[Band]) -> None:
    """InputError unless cut points fall and end at 0, names differ, and the last band has a rate above 0."""
    points = [band.at_least or 0.0 for band in bands]
    if not points or points[-1] != 0 or any(a <= b for a, b in pairwise(points)):
        raise InputError("invalid-request", "bands are given from the best to the worst, the last with at_least 0", ("bands",))
    if len({band.name for band in bands}) != len(bands):
        raise InputError("invalid-request", "two bands have the same name", ("bands",))
    if bands[-1].rate == 0:
        detail = "the last band needs a rate above 0: it holds the segments that need review"
        raise InputError("invalid-request", detail, ("bands",))


def band_of(bands: Sequence[Band], confidence: float, passes: bool) -> Band:
    """The first band that a confidence reaches; a band with rate 0 takes only segments that may skip review."""
    return next((band for band in bands if confidence >= (band.at_least or 0.0) and (band.rate > 0 or passes)), bands[-1])


def report_bands(bands: Sequence[Band], segments: Iterable[tuple[float, int, bool]]) -> list[BandReport]:
    """Count segments and words per band from rows of (confidence, source words, True if the segment may skip review)."""
    counts = {band.name: [0, 0] for band in bands}
    for confidence, words, passes in segments:
        totals = counts[band_of(bands, confidence, passes).name]
        totals[0] += 1
        totals[1] += words
    return [
        BandReport(band, segments, words, words * band.rate) for band, (segments, words) in zip(bands, counts.values(), strict=True)
    ]
