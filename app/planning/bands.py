"""Bands of quality by which work is planned and paid: every segment falls into the first band that its confidence reaches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.errors import InputError

__all__ = ["DEFAULT_BANDS", "Band", "BandReport", "band_of", "check_bands", "report_bands"]


@dataclass(frozen=True)
class Band:
    """A band from a confidence of `at_least` on; a word in it is paid at `rate` of a word translated from scratch."""

    name: str
    at_least: float
    rate: float


# Cut points and rates as MT quality estimation is paid by in CAT tools (MateCat's default).
DEFAULT_BANDS: Final = (Band("best", 0.9, 0.0), Band("good", 0.8, 0.09), Band("fair", 0.5, 0.27), Band("poor", 0.0, 0.75))


@dataclass(frozen=True)
class BandReport:
    """What falls into one band: segments, words of the source, and those words times the band's rate."""

    band: Band
    segments: int
    source_words: int
    paid_words: float


def check_bands(bands: Sequence[Band]) -> None:
    """InputError unless cut points fall, end at 0, and names differ."""
    points = [band.at_least for band in bands]
    if not points or points[-1] != 0 or any(a <= b for a, b in pairwise(points)):
        raise InputError("invalid-request", "bands are given from the best to the worst, the last with at_least 0", ("bands",))
    if len({band.name for band in bands}) != len(bands):
        raise InputError("invalid-request", "two bands have one name", ("bands",))


def band_of(bands: Sequence[Band], confidence: float) -> Band:
    """The first band that a confidence reaches."""
    return next((band for band in bands if confidence >= band.at_least), bands[-1])


def report_bands(bands: Sequence[Band], segments: Iterable[tuple[float, int]]) -> list[BandReport]:
    """Words per band, of (confidence, source words) of every segment."""
    counts = {band.name: [0, 0] for band in bands}
    for confidence, words in segments:
        counted = counts[band_of(bands, confidence).name]
        counted[0] += 1
        counted[1] += words
    return [
        BandReport(band, segments, words, words * band.rate) for band, (segments, words) in zip(bands, counts.values(), strict=True)
    ]
