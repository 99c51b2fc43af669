"""Explanation of a score by the contributions of features."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from app.operations.parts.rounding import rounded
from app.predictors import Model
from app.predictors.explanation import ORDERS, SEED, explanation_method

__all__ = ["Contribution", "Explanation", "ReasonOf", "explanation_of"]


class Contribution(TypedDict):
    """Contribution of one feature to the difference between score and baseline (Shapley value)."""

    feature: str
    name: str
    contribution: float


class ReasonOf(TypedDict):
    """Reason to check a segment, and the phrases that it concerns; it does not change the score."""

    code: str
    text: str
    source: list[str]
    translation: list[str]


class Explanation(TypedDict):
    """Explanation of contributions: baseline and contributions sum to the score before it is clipped to the label's range."""

    method: Literal["exact", "sampled"]
    baseline: float
    orders: Annotated[int | None, Field(description="Orders of the features that were sampled")]
    seed: int | None


def explanation_of(model: Model) -> Explanation:
    """Explanation of a model's contributions and their baseline."""
    is_sampled = explanation_method(model.regressor, len(model.card.features)) == "sampled"
    return {
        "method": "sampled" if is_sampled else "exact",
        "baseline": rounded(model.baseline),
        "orders": 2 * ORDERS if is_sampled else None,
        "seed": SEED if is_sampled else None,
    }
