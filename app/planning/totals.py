"""All segments of a document together: its score, words per band, and what may be accepted unseen."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.planning.acceptance import acceptance_threshold
from app.planning.bands import Band, report_bands

__all__ = ["accepted", "document_answer"]

Json = dict[str, Any]
DIGITS: Final = 6


def document_answer(
    rows: Iterable[Mapping[str, Any]],
    bands: Sequence[Band] = (),
    warnings: bool = False,
    at_worst: float | None = None,
    error_rate: float | None = None,
) -> Json:
    """The document: mean of the segment scores, and the same weighted by translation length.

    The second is the document's edit rate where the label is one. Words per band come with `bands`, segments per check with
    `warnings`, and what may pass unseen with `error_rate`, where the rows have a probability of being worse than `at_worst`.
    Rows are read once and not kept.
    """
    segments = source_tokens = translation_tokens = source_words = 0
    total = weighted = sure = 0.0
    banded: list[tuple[float, int]] = []
    bad: list[float] = []
    codes: Counter[str] = Counter()
    for row in rows:
        segments += 1
        source_tokens += int(row["source_tokens"])
        translation_tokens += int(row["translation_tokens"])
        source_words += int(row["source_words"])
        total += row["score"]
        sure += row["confidence"]
        weighted += row["score"] * row["translation_tokens"]
        if bands:
            banded.append((row["confidence"], row["source_words"]))
        if "bad_probability" in row:
            bad.append(row["bad_probability"])
        codes.update(warning["code"] for warning in row.get("warnings", ()))
    mean = total / segments if segments else None
    answer: Json = {
        "score": None if mean is None else _rounded(mean),
        "weighted_score": None if mean is None else _rounded(weighted / translation_tokens if translation_tokens else mean),
        "confidence": _rounded(sure / segments) if segments else None,
        "segments": segments,
        "source_tokens": source_tokens,
        "translation_tokens": translation_tokens,
        "source_words": source_words,
    }
    if bands:
        answer["bands"] = _band_rows(bands, banded)
    if warnings:
        answer["warnings"] = dict(sorted(codes.items()))
    if error_rate is not None:
        answer["acceptance"] = _acceptance(at_worst, error_rate, np.array(bad, np.float64))
    return answer


def _band_rows(bands: Sequence[Band], banded: Iterable[tuple[float, int]]) -> list[Json]:
    rows = report_bands(bands, banded)
    words = sum(row.source_words for row in rows)
    return [
        {
            **row.band.__dict__,
            "segments": row.segments,
            "source_words": row.source_words,
            "share": _rounded(row.source_words / words) if words else 0.0,
            "paid_words": round(row.paid_words, 2),
        }
        for row in rows
    ]


def _acceptance(at_worst: float | None, error_rate: float, bad: Float64s) -> Json:
    threshold = acceptance_threshold(bad, error_rate)
    passing = bad[bad <= threshold] if threshold is not None else bad[:0]
    return {
        "at_worst": at_worst,
        "error_rate": error_rate,
        "threshold": threshold,
        "accepted": len(passing),
        "expected_errors": _rounded(float(passing.sum())),
        "meaning": "segments whose bad_probability is not above the threshold are accepted",
    }


def accepted(row: Mapping[str, Any], document: Mapping[str, Any]) -> Json:
    """Whether a segment is accepted, where that was asked for."""
    if "acceptance" not in document or "bad_probability" not in row:
        return {}
    threshold = document["acceptance"]["threshold"]
    return {"accept": threshold is not None and row["bad_probability"] <= threshold}


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)
