"""Totals of a document: its score, words per band, and segments that may skip review."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.checks import UNUSABLE
from app.planning.acceptance import acceptance_threshold
from app.planning.bands import Band, band_of
from app.planning.confidence import DIGITS
from app.planning.terms import Terms, money_rows

__all__ = ["document_answer", "placing"]

Json = dict[str, Any]
MEANING: Final = "segments whose bad_probability is not above the threshold are accepted"
# Documents of versions that let segments with warnings pass have this meaning, and are read by it.
WARNED_MEANING: Final = "segments without warnings whose bad_probability is not above the threshold are accepted"


def document_answer(rows: Iterable[Mapping[str, Any]], terms: Terms = Terms(), warnings: bool = False) -> Json:  # noqa: B008
    """Mean of the segment scores, and their mean weighted by translation length.

    The weighted mean of an edit rate is the document's edit rate. An empty translation has the weight of its source, which is
    still to be translated. Segments without any text have no part in means, if another segment has one. Words per band come with
    the bands of `terms`, which belong to a label (`Terms.of_label`). Segments per check come with `warnings`. Segments that may
    skip review are counted if the terms state a risk and the rows have probabilities of an error; a segment with a warning never
    passes. Rows are read once.
    """
    segments = texts = source_tokens = translation_tokens = source_words = weights = 0
    total = weighted = sure = blank_total = blank_sure = 0.0
    judgements: list[tuple[float, int, float | None]] = []
    codes: Counter[str] = Counter()
    for row in rows:
        segments += 1
        source_tokens += int(row["source_tokens"])
        translation_tokens += int(row["translation_tokens"])
        source_words += int(row["source_words"])
        weight = int(row["translation_tokens"] or row["source_tokens"])
        weights += weight
        weighted += row["score"] * weight
        if weight:
            texts += 1
            total += row["score"]
            sure += row["confidence"]
        else:
            blank_total += row["score"]
            blank_sure += row["confidence"]
        if terms.bands or terms.error_rate is not None:
            judgements.append((_confidence(row, warnings), row["source_words"], _judged(row, warnings)))
        codes.update(warning["code"] for warning in row.get("warnings", ()))
    if not texts:
        texts, total, sure = segments, blank_total, blank_sure
    mean = total / texts if texts else None
    answer: Json = {
        "score": None if mean is None else _rounded(mean),
        "weighted_score": None if mean is None else _rounded(weighted / weights if weights else mean),
        "confidence": _rounded(sure / texts) if texts else None,
        "segments": segments,
        "source_tokens": source_tokens,
        "translation_tokens": translation_tokens,
        "source_words": source_words,
    }
    return answer | _planned(terms, judgements, warnings) | ({"warnings": dict(sorted(codes.items()))} if warnings else {})


def _planned(terms: Terms, judgements: list[tuple[float, int, float | None]], warnings: bool) -> Json:
    """Bands, their total and terms, and the segments that may skip review."""
    acceptance = None
    if terms.error_rate is not None and terms.at_worst is not None:
        bad = np.array([probability for *_, probability in judgements if probability is not None], np.float64)
        acceptance = _acceptance(terms.at_worst, terms.error_rate, bad, warnings)
    answer: Json = {}
    if terms.bands:
        threshold = None if acceptance is None else acceptance["threshold"]
        segments = ((confidence, words, _passes(bad, threshold)) for confidence, words, bad in judgements)
        answer |= money_rows(terms, segments, None if acceptance is None else acceptance["accepted"])
    return answer if acceptance is None else {**answer, "acceptance": acceptance}


def _acceptance(at_worst: float, error_rate: float, bad: Float64s, warnings: bool) -> Json:
    threshold = acceptance_threshold(bad, error_rate)
    passing = bad[bad <= threshold] if threshold is not None else bad[:0]
    return {
        "at_worst": at_worst,
        "error_rate": error_rate,
        "threshold": threshold,
        "accepted": len(passing),
        "expected_errors": _rounded(float(passing.sum())),
        "meaning": WARNED_MEANING if warnings else MEANING,
    }


def _judged(row: Mapping[str, Any], warnings: bool) -> float | None:
    """Probability that a segment is an error; None if it may not pass.

    A text that was read in part never passes. With `warnings`, nor does a segment with a warning; matters of style are none.
    """
    has_warning = warnings and any(warning.get("severity") != "info" for warning in row.get("warnings", ()))
    return None if has_warning or row.get("truncated") else row.get("bad_probability")


def _confidence(row: Mapping[str, Any], warnings: bool) -> float:
    """Confidence that selects the band. Rows of older versions have no limit for an unusable translation."""
    useless = warnings and any(warning["code"] in UNUSABLE for warning in row.get("warnings", ()))
    return 0.0 if useless else float(row["confidence"])


def _passes(bad: float | None, threshold: float | None) -> bool:
    return bad is not None and threshold is not None and bad <= threshold


def placing(document: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Json]:
    """Function of a segment: its band in the document, and its acceptance, if the terms ask for them."""
    acceptance, has_warnings = document.get("acceptance", {}), "warnings" in document
    is_warned, threshold = acceptance.get("meaning") == WARNED_MEANING, acceptance.get("threshold")
    # Documents of older versions have bands without terms, and their rows have the band already.
    bands = [Band(band["name"], band["at_least"], band["rate"]) for band in document["bands"]] if "terms" in document else []

    def place(row: Mapping[str, Any]) -> Json:
        passes = _passes(_judged(row, is_warned), threshold)
        return {
            **({"band": band_of(bands, _confidence(row, has_warnings), passes).name} if bands else {}),
            **({"accept": passes} if "acceptance" in document and "bad_probability" in row else {}),
        }

    return place


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)
