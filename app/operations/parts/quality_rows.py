"""Predicted quality of segments as it is answered."""

from collections.abc import Sequence
from typing import Annotated, Final, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.checks import SEVERITIES, SegmentWarning, Severity
from app.checks.reasons import Reason
from app.engine.segments import Assessment
from app.features import feature_called
from app.operations.parts.explanation import Contribution, ReasonOf
from app.operations.parts.rounding import rounded
from app.operations.parts.word_rows import GapTag, SourceWordTags, Truncated, WordTag, word_rows
from app.planning.bands import band_of
from app.predictors.prediction import grade_probabilities

__all__ = ["CHECKS", "SegmentQuality", "WarningOf", "quality_rows", "warnings_of"]

CHECKS: Final = "Check numbers, names, negation, copies, loops and languages; on by default"


class WarningOf(TypedDict):
    """A failed check, and its words."""

    code: str
    severity: Severity
    source: list[str]
    translation: list[str]
    source_spans: Annotated[list[tuple[int, int]], Field(description="Places of its words: first character, and the one behind")]
    translation_spans: list[tuple[int, int]]
    looks_like: NotRequired[Annotated[str, Field(description="Language that a text in a wrong language seems to be in")]]
    expected: NotRequired[Annotated[list[str], Field(description="Translations that the glossary prefers")]]


class SegmentQuality(TypedDict):
    """Quality of one segment; `confidence` runs from 0 (worst) to 1 (best) for any label. Errors limit it."""

    score: float
    std: float
    interval: list[float]
    confidence: float
    source_words: int
    source_tokens: int
    translation_tokens: int
    grade: NotRequired[float]
    grade_probabilities: NotRequired[list[float]]
    contributions: NotRequired[list[Contribution]]
    reasons: NotRequired[list[ReasonOf]]
    band: NotRequired[str]
    warnings: NotRequired[list[WarningOf]]
    bad_probability: NotRequired[Annotated[float, Field(description="Probability that the label is worse than accept.at_worst")]]
    accept: NotRequired[bool]
    words: NotRequired[list[WordTag]]
    gaps: NotRequired[list[GapTag]]
    source_tags: NotRequired[SourceWordTags]
    truncated: NotRequired[Truncated]
    translation: NotRequired[Annotated[str, Field(description="Translation by a service, if the request has only sources")]]


def quality_rows(answer: Assessment) -> list[SegmentQuality]:
    """One row per segment, in the order of the request."""
    p, classes = answer.prediction, answer.model.label.classes
    grades = grade_probabilities(p, classes) if classes else None
    names = answer.model.card.features
    has_contributions = answer.contributions is not None
    titles = [feature.name if (feature := feature_called(name)) is not None else name for name in names if has_contributions]
    numbers = (p.mean, p.std, p.low, p.high, answer.confidence, answer.source_tokens, answer.translation_tokens)
    rows: list[SegmentQuality] = []
    for i, (mean, std, low, high, confidence, source_tokens, translation_tokens) in enumerate(
        zip(*(column.tolist() for column in numbers), strict=True)
    ):
        row: SegmentQuality = {
            "score": rounded(mean),
            "std": rounded(std),
            "interval": [rounded(low), rounded(high)],
            "confidence": rounded(confidence),
            "source_words": answer.source_words[i],
            "source_tokens": source_tokens,
            "translation_tokens": translation_tokens,
        }
        if grades is not None:
            row["grade"] = classes[int(grades[i].argmax())]
            row["grade_probabilities"] = [rounded(share) for share in grades[i]]
        if answer.contributions is not None:
            values = answer.contributions[i]
            order = np.argsort(-np.abs(values), kind="stable")
            row["contributions"] = [
                {"feature": names[k], "name": titles[k], "contribution": rounded(values[k])} for k in order.tolist()
            ]
        bands = answer.options.terms.bands
        if bands:
            # Where it falls while nothing may pass unseen: what may is known of the whole document.
            row["band"] = band_of(bands, row["confidence"], False).name
        if answer.warnings is not None:
            row["warnings"] = warnings_of(answer.warnings[i])
        if answer.bad is not None:
            row["bad_probability"] = rounded(answer.bad[i])
        if i in answer.truncated:
            row["truncated"] = True
        rows.append(row)
    for row, reasons in zip(rows, answer.reasons or (), strict=answer.reasons is not None):
        row["reasons"] = [_reason(reason) for reason in reasons]
    if answer.words is not None:
        for row, tagged_row in zip(rows, word_rows(answer.words), strict=True):
            row["words"], row["gaps"] = tagged_row["words"], tagged_row["gaps"]
            if "source_tags" in tagged_row:
                row["source_tags"] = tagged_row["source_tags"]
    return rows


def warnings_of(warnings: Sequence[SegmentWarning]) -> list[WarningOf]:
    """Warnings of a segment in an answer, errors first."""
    return [_warning(warning) for warning in sorted(warnings, key=lambda warning: SEVERITIES.index(warning.severity))]


def _warning(warning: SegmentWarning) -> WarningOf:
    row: WarningOf = {
        "code": warning.code,
        "severity": warning.severity,
        "source": list(warning.source),
        "translation": list(warning.translation),
        "source_spans": list(warning.source_spans),
        "translation_spans": list(warning.translation_spans),
    }
    if warning.expected:
        row["expected"] = list(warning.expected)
    return row if warning.looks_like is None else {**row, "looks_like": warning.looks_like}


def _reason(reason: Reason) -> ReasonOf:
    return {"code": reason.code, "text": reason.text, "source": list(reason.source), "translation": list(reason.translation)}
