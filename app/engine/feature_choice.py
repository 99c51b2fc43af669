"""The default feature set of a predictor."""

from typing import Final

from app.features import Evidence
from app.text.side_information.kinds import TOKEN_LOG_PROBS

__all__ = ["usual_feature_set"]

# About five rows per feature.
ROWS_FOR_MANY_FEATURES: Final = 500


def usual_feature_set(evidence: Evidence, rows: int, documents: bool = False) -> str:
    """The default set for a number of training rows, with features of log-probabilities if these are `evidence`.

    Rows are segments, or `documents`.
    """
    if documents:
        return "document" if rows >= ROWS_FOR_MANY_FEATURES else "document-17"
    name = "text-only+words" if rows >= ROWS_FOR_MANY_FEATURES else "quest-baseline-17"
    if TOKEN_LOG_PROBS not in evidence:
        return name
    return f"{name.removesuffix('+words')}+nmt-glassbox-10" + ("+words" if name.endswith("+words") else "")
