"""Bands by which work is planned and paid: every segment falls into the first band that takes it."""

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
    """A band from a confidence of `at_least` on; a word in it is paid at `rate` of a word translated from scratch.

    What is paid nothing takes only segments that may pass unseen; where `at_least` is None it takes all of those.
    """

    name: str
    at_least: float | None
    rate: float


# What bands by risk are called and pay, with what falls into them. The rates are those of a CAT tool that pays by estimated
# quality (MateCat's for fair and poor machine translation): a convention, not something that was measured.
RISK_RATES: Final = (
    ("unseen", 0.0, "what may pass unseen"),
    ("light", 0.27, "what is predicted to be no error, and may not pass unseen"),
    ("full", 0.75, "all else"),
)


@dataclass(frozen=True)
class BandReport:
    """What falls into one band: segments, words of the source, and those words times the band's rate."""

    band: Band
    segments: int
    source_words: int
    paid_words: float


def risk_bands(label: Label, at_worst: float | None) -> tuple[Band, ...]:
    """Bands that follow from what an error is: passed unseen, edited lightly, edited in full.

    Without an error nothing can pass, and only the last band is left beside the empty first; where no prediction can be an
    error, there is no last one.
    """
    (unseen, free, _), (light, less, _), (full, most, _) = RISK_RATES
    worst = usual_worst(label) if at_worst is None else at_worst
    if worst is None:
        return Band(unseen, None, free), Band(full, 0.0, most)
    # As the confidences of segments are, which it is compared with.
    limit = round(float(confidence_of(label, np.array([error_limit(label, worst)]))[0]), DIGITS)
    bands = Band(unseen, None, free), Band(light, limit, less)
    return (*bands, Band(full, 0.0, most)) if limit > 0 else bands


def check_bands(bands: Sequence[Band]) -> None:
    """InputError unless cut points fall, end at 0, names differ, and the last band is paid."""
    points = [band.at_least or 0.0 for band in bands]
    if not points or points[-1] != 0 or any(a <= b for a, b in pairwise(points)):
        raise InputError("invalid-request", "bands are given from the best to the worst, the last with at_least 0", ("bands",))
    if len({band.name for band in bands}) != len(bands):
        raise InputError("invalid-request", "two bands have one name", ("bands",))
    if bands[-1].rate == 0:
        detail = "the last band needs a rate above 0: what may not pass unseen has to be paid somewhere"
        raise InputError("invalid-request", detail, ("bands",))


def band_of(bands: Sequence[Band], confidence: float, passes: bool) -> Band:
    """The first band that a confidence reaches; one that is paid nothing takes only what passes unseen."""
    return next((band for band in bands if confidence >= (band.at_least or 0.0) and (band.rate > 0 or passes)), bands[-1])


def report_bands(bands: Sequence[Band], segments: Iterable[tuple[float, int, bool]]) -> list[BandReport]:
    """Words per band, of (confidence, source words, whether it may pass unseen) of every segment; each is counted once."""
    counts = {band.name: [0, 0] for band in bands}
    for confidence, words, passes in segments:
        counted = counts[band_of(bands, confidence, passes).name]
        counted[0] += 1
        counted[1] += words
    return [
        BandReport(band, segments, words, words * band.rate) for band, (segments, words) in zip(bands, counts.values(), strict=True)
    ]
