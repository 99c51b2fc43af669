"""What answers say about the model that gave them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from app.predictors import Model
    from app.predictors.word_tags import WordTagger

__all__ = [
    "DIGITS",
    "Broken",
    "ModelSummary",
    "WordTaggerSummary",
    "broken_rows",
    "model_summary",
    "rounded",
    "summary_of",
    "word_tagger_summary",
]

# More digits than any prediction deserves, few enough to read.
DIGITS: Final = 6


class Broken(TypedDict):
    """A file or folder that cannot be used, and why; it stops nothing else, and is tried again when it changes."""

    name: str
    reason: str


class ModelSummary(TypedDict):
    """A predictor, and what its scores are."""

    model: str
    label: str
    unit: str
    direction: str


class WordTaggerSummary(TypedDict):
    """A word tagger, and its Matthews correlation coefficients as its card has them."""

    model: str
    level: str
    mcc: float
    gap_mcc: float


def broken_rows(reasons: Mapping[str, str]) -> list[Broken]:
    """What cannot be used as answers have it."""
    return [{"name": name, "reason": reason} for name, reason in sorted(reasons.items())]


def rounded(value: float) -> float:
    """A number as answers have it."""
    return round(float(value), DIGITS)


def model_summary(model: "Model") -> ModelSummary:
    """What every answer says about the predictor that gave it."""
    card = model.card
    return {"model": card.id, "label": card.label, "unit": card.unit, "direction": card.direction}


def summary_of(params: Mapping[str, Any]) -> ModelSummary:
    """The same of the predictor that was fixed when a job was planned."""
    return {"model": params["model"], "label": params["label"], "unit": params["unit"], "direction": params["direction"]}


def word_tagger_summary(tagger: "WordTagger") -> WordTaggerSummary:
    """What an answer says about the word tagger that gave it."""
    card = tagger.card
    return {"model": card.id, "level": "word", "mcc": card.accuracy["words"]["mcc"], "gap_mcc": card.accuracy["gaps"]["mcc"]}
