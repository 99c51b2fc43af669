"""Predictors and word taggers: cards, accuracy, relevance, drift, versions, and the model that answers."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, NotRequired

import numpy as np
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.errors import InputError
from app.features import feature_called
from app.operations.judgements.feedback import FeedbackCount
from app.operations.operation import Body, Json, with_example
from app.operations.parts.about_models import Broken, Cautioned, broken_rows, cautioned, model_summary
from app.operations.parts.rounding import rounded
from app.predictors import Model
from app.predictors.distribution import DRIFT_LIMIT, FEWEST_SEGMENTS
from app.predictors.word_tags import WordTagger
from app.registry.drift import Drift
from app.registry.promotions import Promotion

__all__ = [
    "DriftAnswer",
    "ModelCard",
    "ModelDetails",
    "ModelList",
    "PromotionAnswer",
    "PromotionRequest",
    "RelevanceRow",
    "WordTaggerCard",
    "describe_model",
    "drift_answer",
    "find_model",
    "list_models",
    "promote_model",
    "relevance_answer",
    "roll_back_model",
]

DRIFTED_FEATURES: Final = 10


class ModelCard(Cautioned):
    """A predictor's card, with the checksum of its arrays and more than is named here."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]
    id: str
    pair: str
    label: str
    unit: str
    direction: str
    features: list[str]
    learner: str
    training_data: dict[str, Any]
    resources: Annotated[dict[str, str], Field(description="SHA-256 of the files that its features were computed from")]
    accuracy: dict[str, Any]


class WordTaggerCard(Cautioned):
    """A word tagger's card."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]
    id: str
    pair: str
    word_features: list[str]
    gap_features: list[str]
    resources: dict[str, str]
    accuracy: dict[str, Any]


class ModelList(TypedDict):
    """All predictors, of segments and of words; `broken` is there where something lies in the folders that cannot be used."""

    models: list[ModelCard]
    word_models: list[WordTaggerCard]
    broken: NotRequired[list[Broken]]


class RelevanceRow(TypedDict):
    """Relevance of a feature for a model; all sum to 1."""

    feature: str
    name: str
    relevance: float


class DriftAnswer(TypedDict):
    """Drift of the texts in requests from those in training."""

    segments: int
    index: float
    drifted: bool | None
    meaning: str
    features: list[Json]


class ModelDetails(ModelCard):
    """A predictor's card with what is known of it here: relevance of its features, drift, versions, feedback."""

    baseline: float
    answers: Annotated[bool, Field(description="True if this model was promoted and still answers")]
    relevance: list[RelevanceRow] | None
    drift: DriftAnswer
    versions: list[Json]
    promotions: list[Json]
    feedback: dict[str, int]


class PromotionRequest(Body):
    """Reason for a promotion or rollback, for the record."""

    model_config = with_example({"reason": "better on last month's post-edits"}, deferred=False)

    reason: Annotated[str, Field(max_length=500)] = ""


class PromotionAnswer(TypedDict):
    """An entry of the record; without a model, the best one by its card answers again."""

    pair: str
    label: str
    model: str | None
    at: str
    reason: str


def list_models(engine: Engine) -> ModelList:
    """Cards of all predictors."""
    taggers = engine.registry.word_taggers.values()
    answer: ModelList = {
        "models": [_card(engine, model) for model in engine.models.values()],
        "word_models": [_tagger_card(engine, tagger) for tagger in taggers],
    }
    # Looked for last: what cannot be loaded shows when it is tried.
    broken = broken_rows(engine.registry.broken_models)
    return {**answer, "broken": broken} if broken else answer


def _card(engine: Engine, model: Model) -> ModelCard:
    card: Any = {
        **model.card.as_json(),
        "features": list(model.card.features),
        "resources": dict(model.card.resources),
        "sha256": model.checksum,
        **cautioned(engine, model),
    }
    return card  # type: ignore[no-any-return]


def _tagger_card(engine: Engine, tagger: WordTagger) -> WordTaggerCard:
    card = tagger.card
    fields: Any = {
        **card.__dict__,
        "word_features": list(card.word_features),
        "gap_features": list(card.gap_features),
        "resources": dict(card.resources),
        **cautioned(engine, tagger),
    }
    return fields  # type: ignore[no-any-return]


def find_model(engine: Engine, name: str) -> Model:
    """The predictor called `name`; InputError where there is none."""
    model = engine.models.get(name)
    if model is None:
        reason = engine.registry.broken_models.get(name)
        detail = (
            "there is no such model; GET /v1/models (assay models list) lists them"
            if reason is None
            else f"this model is broken: {reason}"
        )
        raise InputError("not-found", detail, ("model",))
    return model


def describe_model(engine: Engine, name: str, feedback: Sequence[FeedbackCount]) -> ModelDetails | WordTaggerCard:
    """The card of one predictor, and what is known of it here; `feedback` counts what there is of all pairs and labels."""
    tagger = engine.registry.word_taggers.get(name)
    if tagger is not None:
        return _tagger_card(engine, tagger)
    model = find_model(engine, name)
    registry, card = engine.registry, model.card
    versions = [
        {
            **model_summary(version),
            "version": version.card.version,
            "created": version.card.created,
            "accuracy": version.card.accuracy,
        }
        for version in registry.versions(card.id)
    ]
    counts = [count for count in feedback if (count.pair, count.label) == (card.pair, card.label)]
    entries = [
        {name: value for name, value in asdict(entry).items() if name != "rolled_back"}
        for entry in registry.promotions.entries()
        if (entry.pair, entry.label) == (card.pair, card.label)
    ]
    details: Any = {
        **_card(engine, model),
        "baseline": model.baseline,
        "answers": registry.current(card.pair, card.label) == card.id,
        "relevance": relevance_answer(model),
        "drift": drift_answer(model, engine.registry.drift.report(model)),
        "versions": versions,
        "promotions": entries,
        "feedback": {"segments": sum(count.segments for count in counts), "held_back": sum(count.held_back for count in counts)},
    }
    return details  # type: ignore[no-any-return]


def relevance_answer(model: Model) -> list[RelevanceRow] | None:
    """Relevance of each feature, the largest first; None for learners without relevances."""
    relevance, names = model.relevance, model.card.features
    if relevance is None:
        return None
    order = np.argsort(-relevance, kind="stable").tolist()
    return [
        {
            "feature": names[k],
            "name": feature.name if (feature := feature_called(names[k])) is not None else names[k],
            "relevance": rounded(relevance[k]),
        }
        for k in order
    ]


def drift_answer(model: Model, drift: Drift) -> DriftAnswer:
    """Drift of requests from the training texts, with the features that moved most first."""
    order = np.argsort(-drift.indexes, kind="stable")[:DRIFTED_FEATURES].tolist() if drift.segments else []
    return {
        "segments": drift.segments,
        "index": rounded(drift.mean),
        "drifted": drift.drifted,
        "meaning": f"mean population stability index over the features; drift is more than {DRIFT_LIMIT}, "
        f"said from {FEWEST_SEGMENTS} segments on",
        "features": [{"feature": model.card.features[k], "index": rounded(drift.indexes[k])} for k in order],
    }


def promote_model(engine: Engine, name: str, request: PromotionRequest) -> PromotionAnswer:
    """Let this model answer for its pair and label wherever no other is named and what it needs is sent."""
    return _entry(engine.registry.promote(find_model(engine, name), request.reason or "by hand"))


def roll_back_model(engine: Engine, name: str, request: PromotionRequest) -> PromotionAnswer:
    """Return to what answered before this model was promoted; InputError where it does not answer."""
    return _entry(engine.registry.roll_back(find_model(engine, name), request.reason))


def _entry(entry: Promotion) -> PromotionAnswer:
    return {"pair": entry.pair, "label": entry.label, "model": entry.model, "at": entry.at, "reason": entry.reason}
