"""How contributions of features to a score came about."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from app.operations.parts.rounding import rounded
from app.predictors import Model
from app.predictors.explanation import ORDERS, SEED, explanation_method

__all__ = ["Contribution", "Explanation", "ReasonOf", "explanation_of"]


class Contribution(TypedDict):
    """How far one feature moved the score away from the baseline (Shapley value)."""

    feature: str
    name: str
    contribution: float


class ReasonOf(TypedDict):
    """Why a segment may be worth a look, and the phrases it is about; evidence beside the score, not a part of it."""

    code: str
    text: str
    source: list[str]
    translation: list[str]


class Explanation(TypedDict):
    """How contributions came about: baseline and contributions add up to the score, before that is cut to the label's range."""

    method: Literal["exact", "sampled"]
    baseline: float
    orders: Annotated[int | None, Field(description="Orders of the features that were sampled")]
    seed: int | None


def explanation_of(model: Model) -> Explanation:
    """How a model's contributions come about, and what they are added to."""
    sampled = explanation_method(model.regressor, len(model.card.features)) == "sampled"
    return {
        "method": "sampled" if sampled else "exact",
        "baseline": rounded(model.baseline),
        "orders": 2 * ORDERS if sampled else None,
        "seed": SEED if sampled else None,
    }
