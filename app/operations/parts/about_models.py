"""Fields of answers about their model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final, NotRequired

from typing_extensions import TypedDict

from app.engine import Engine
from app.engine.candidates import check_alike
from app.features import Evidence
from app.operations.parts.rounding import rounded
from app.predictors import Label, Model
from app.predictors.distribution import DRIFT_LIMIT
from app.predictors.labels import Scale, label_named
from app.predictors.word_tags import WordTagger
from app.registry.drift import Drift
from app.text.languages import ANY_PAIR, LanguagePair

__all__ = [
    "Broken",
    "Cautioned",
    "DriftOf",
    "LearningPoint",
    "ModelSummary",
    "NewPair",
    "WordTaggerSummary",
    "broken_rows",
    "cautioned",
    "drift_of",
    "drift_of_parts",
    "ids_of",
    "joint_summary",
    "label_kept",
    "model_summary",
    "scale_kept",
    "several_models",
    "summary_of",
    "word_tagger_summary",
]

NEW_PAIR: Final = (
    "A general model answers for these languages. Use its scores to sort segments, not as absolute numbers. "
    "It does not notice a wrong language; the warnings do. Train a version of it on your own judgements to improve it."
)

ADAPTED_CAUTION: Final = (
    "No resources were built for these languages; the model learned from {} judgements of them. It does not notice a wrong "
    "language; the warnings do. Its card has its accuracy."
)


class Broken(TypedDict):
    """A file or folder that cannot be used, and why; it stops nothing else, and is tried again when it changes."""

    name: str
    reason: str


class LearningPoint(TypedDict):
    """Accuracy of predictions after a number of labels of a new pair: the mean over left-out pairs."""

    labels: int
    pearson: float
    mae: float


class NewPair(TypedDict):
    """Evidence behind an answer for languages without a model of their own, and the gain from labels of them.

    The `curve` begins without labels; it is that of a job train with the model as base, measured on each shipped pair left out.
    """

    rests_on: str
    curve: list[LearningPoint]


class Cautioned(TypedDict):
    """Cautions of an answer, such as a model trained with other resources than the loaded ones; absent without any."""

    cautions: NotRequired[list[str]]
    new_pair: NotRequired[NewPair]


class ModelSummary(Cautioned):
    """A predictor, and what its scores are."""

    model: str
    label: str
    unit: str
    direction: str


class WordTaggerSummary(Cautioned):
    """A word tagger, and its Matthews correlation coefficients as its card has them."""

    model: str
    level: str
    mcc: float
    gap_mcc: float


def broken_rows(reasons: Mapping[str, str]) -> list[Broken]:
    """Files that cannot be used, as rows of an answer."""
    return [{"name": name, "reason": reason} for name, reason in sorted(reasons.items())]


def cautioned(engine: "Engine", *models: "Model | WordTagger | None", drift: "DriftOf | None" = None) -> Cautioned:
    """Cautions of answers by these models, if any; `drift` is the drift of the segments."""
    present_models = [model for model in models if model is not None]
    new = next((model.card for model in present_models if model.card.pair == ANY_PAIR), None)
    # Texts of a model trained on other languages differ from its training texts in any case.
    drift_cautions = [_other_texts(drift)] if drift is not None and drift["index"] > DRIFT_LIMIT and new is None else []
    adapted_cautions = [
        ADAPTED_CAUTION.format(model.card.training_data["segments"]) for model in present_models if _is_adapted(engine, model)
    ]
    useless_cautions = [_useless(model) for model in present_models if _is_useless(model)]
    cautions = [
        *([NEW_PAIR] if new else []),
        *adapted_cautions,
        *useless_cautions,
        *drift_cautions,
        *engine.cautions(*present_models),
    ]
    answer: Cautioned = {"cautions": cautions} if cautions else {}
    if new is not None and "curve" in new.accuracy:
        curve: list[LearningPoint] = [
            {"labels": row["labels"], "pearson": row["pearson"], "mae": row["mae"]} for row in new.accuracy["curve"]
        ]
        answer["new_pair"] = {"rests_on": NEW_PAIR, "curve": curve}
    return answer


def _is_useless(model: "Model | WordTagger") -> bool:
    """Return True if the predictions of a predictor did not rise with the labels where it was measured."""
    return float(model.card.accuracy.get("pearson") or 1.0) <= 0.0


def _useless(model: "Model | WordTagger") -> str:
    pearson = model.card.accuracy["pearson"]
    return (
        f"The predictions of {model.card.id} do not follow the labels: Pearson {pearson:.2f} on labels that it has not seen. "
        "Do not use its scores: train it on more labels, and compare the direction of its scale with that of the label."
    )


def _is_adapted(engine: "Engine", model: "Model | WordTagger") -> bool:
    """Return True if a model is the only resource that was built for its pair."""
    if model.card.pair == ANY_PAIR:
        return False
    return _pair_called(model.card.pair) not in engine.resources.pairs


_pair_called = lru_cache(maxsize=1024)(LanguagePair.parse)


class DriftOf(TypedDict):
    """Number of segments compared with the training segments, and the mean stability index of features."""

    segments: int
    index: float


def drift_of(drift: Drift | None) -> DriftOf | None:
    """Drift of an answer's segments; None for too few segments."""
    return None if drift is None or drift.drifted is None else {"segments": drift.segments, "index": drift.mean}


def drift_of_parts(parts: Iterable[DriftOf | None]) -> DriftOf | None:
    """Drift of a job, from the drift of its parts."""
    present_parts = [part for part in parts if part is not None]
    segments = sum(part["segments"] for part in present_parts)
    return (
        {"segments": segments, "index": sum(part["index"] * part["segments"] for part in present_parts) / segments}
        if present_parts
        else None
    )


def _other_texts(drift: DriftOf) -> str:
    return (
        f"These {drift['segments']} segments differ from the training texts (drift {drift['index']:.2f}, limit {DRIFT_LIMIT}). "
        "The order of scores is less reliable than the model's card says."
    )


def model_summary(model: "Model") -> ModelSummary:
    """Summary of the predictor in every answer."""
    card = model.card
    return {"model": card.id, "label": card.label, "unit": card.unit, "direction": card.direction}


def joint_summary(models: Sequence["Model"]) -> ModelSummary:
    """Summary of models of one label that answer together; `model` joins their ids by +."""
    return {**model_summary(models[0]), "model": "+".join(model.card.id for model in models)}


def scale_kept(label: "Label") -> dict[str, Any]:
    """Declared scale as parameters of a job; empty for usual labels."""
    return {} if label.scale is None else {"scale": asdict(label.scale)}


def label_kept(params: Mapping[str, Any]) -> "Label":
    """The label that parameters of a job name, on the scale that they keep."""
    scale = params.get("scale")
    return label_named(params["label"], None if scale is None else Scale(**{**scale, "classes": tuple(scale["classes"])}))


def summary_of(params: Mapping[str, Any]) -> ModelSummary:
    """Summary of the predictor that planning fixed for a job."""
    return {"model": params["model"], "label": params["label"], "unit": params["unit"], "direction": params["direction"]}


def word_tagger_summary(tagger: "WordTagger", mcc: float) -> WordTaggerSummary:
    """Summary of the word tagger in an answer; `mcc` is measured on words in the answer's profile."""
    card = tagger.card
    return {"model": card.id, "level": "word", "mcc": rounded(mcc), "gap_mcc": card.accuracy["gaps"]["mcc"]}


def ids_of(models: Sequence[str] | Mapping[str, str] | None) -> list[str]:
    """Ids of the models that a request names in a list or by system, each once; empty without them."""
    return list(dict.fromkeys(models.values() if isinstance(models, Mapping) else models or ()))


def several_models(
    engine: "Engine", pair: LanguagePair, models: Sequence[str] | Mapping[str, str], label: str | None, needs: Evidence
) -> "list[Model]":
    """Models of a request. InputError if one is unknown or lacks something, or if they predict different labels."""
    matches = [engine.model_for(pair, name, label, needs) for name in ids_of(models)]
    check_alike(matches)
    return matches
