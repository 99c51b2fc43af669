"""Accuracy of error spans in answers."""

from typing_extensions import TypedDict

__all__ = ["SpanScores"]


class SpanScores(TypedDict):
    """F1, precision and recall of characters, half of them for the other severity, and of matched spans (mpp)."""

    spans: int
    predicted_spans: int
    f1: float
    precision: float
    recall: float
    mpp_f1: float
    mpp_precision: float
    mpp_recall: float
