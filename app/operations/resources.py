"""Catalogues: loaded resources and limits, features and their sets, metrics, problems."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.features import CATALOGUE, Feature, feature_sets
from app.features.neural import NEURAL as OF_CHECKPOINTS
from app.features.neural import neural_feature
from app.metrics import METRICS
from app.metrics.registry import NEURAL
from app.operations.parts.about_models import Broken, broken_rows
from app.predictors.cross_encoder import CrossEncoder
from app.resources.checkpoints import CheckpointCard, Checkpoints
from app.resources.folder import USER_PREFIX
from app.resources.loading import SYSTEM
from app.resources.manifest import Manifest
from app.settings import Settings

__all__ = ["FeaturesCatalogue", "MetricsCatalogue", "ResourcesAnswer", "features_catalogue", "list_metrics", "list_resources"]

Json = dict[str, Any]


class ResourcesAnswer(TypedDict):
    """Loaded resources and limits; `encoder` describes the cross-encoder, `broken` the folders that cannot be used."""

    pairs: list[str]
    resources: list[Json]
    limits: dict[str, int]
    systems: NotRequired[Annotated[list[str], Field(description="Directions that phrase-based systems translate")]]
    translation_services: NotRequired[Annotated[list[str], Field(description="Services that `translate` may name")]]
    encoder: NotRequired[Json]
    broken: NotRequired[list[Broken]]


class FeaturesCatalogue(TypedDict):
    """Every feature and every feature set."""

    features: list[Json]
    sets: list[Json]


class MetricsCatalogue(TypedDict):
    """Every metric, and the trained metrics that are loaded; `broken` is there where one cannot be used."""

    metrics: list[Json]
    trained: list[Json]
    neural: NotRequired[Annotated[list[Json], Field(description="Imported checkpoints, where there are some")]]
    broken: NotRequired[list[Broken]]


def list_resources(engine: Engine, settings: Settings, services: Sequence[str] = ()) -> ResourcesAnswer:
    """Loaded resources by language and pair with their folders, the limits of requests, and translation services."""
    rows = [
        {
            "name": key.removeprefix(USER_PREFIX),
            "folder": "own" if key.startswith(USER_PREFIX) else "shipped",
            "kind": _kind_of(key, manifest),
            "description": manifest.description,
            "licence": manifest.licence,
            "bytes": engine.resources.sizes[key],
            "files": dict(manifest.files),
            "built_from": dict(manifest.inputs),
            "command": manifest.command,
            "statistics": dict(manifest.statistics),
        }
        for key, manifest in engine.resources.manifests.items()
    ]
    limits = {name: getattr(settings, name) for name in type(settings).model_fields if name.startswith("max_")}
    answer: ResourcesAnswer = {"pairs": [str(pair) for pair in engine.resources.pairs], "resources": rows, "limits": limits}
    if engine.systems.pairs:
        answer["systems"] = [str(pair) for pair in engine.systems.pairs]
    if services:
        answer["translation_services"] = list(services)
    network = engine.cross_encoder
    if network is not None:
        answer["encoder"] = _encoder_row(network, engine.registry.cross_encoders.checksum(network.card.id))
    unusable = engine.network_fault
    broken = broken_rows(
        {**engine.resources.broken, **engine.systems.broken, **({} if unusable is None else {"encoder": unusable})}
    )
    return {**answer, "broken": broken} if broken else answer


def _encoder_row(network: CrossEncoder, sha256: str | None) -> Json:
    """The cross-encoder: its name, licence, checksums of graph and pieces, most pieces of a pair, pairs, and languages."""
    card = network.card
    members = ("pieces_sha256", "licence", "created", "layers", "longest", "pairs", "languages")
    return {"name": card.id, "sha256": sha256, **{name: getattr(card, name) for name in members}}


def _kind_of(key: str, manifest: Manifest) -> str:
    if key.endswith(f"/{SYSTEM}"):
        return "system"
    return "pair" if any(file.startswith("lex.") for file in manifest.files) else "language"


def _neural_row(card: CheckpointCard) -> Json:
    """An imported checkpoint: its name in requests, the texts that it compares, its licence and its card."""
    return {
        "name": f"{NEURAL}:{card.name}",
        "architecture": card.architecture,
        "compares": card.needs,
        **({} if card.reference == "needed" else {"feature": f"{OF_CHECKPOINTS}{card.name}"}),
        "licence": card.licence,
        "non_commercial": card.non_commercial,
        "card": asdict(card),
    }


def _neural_features(checkpoints: Checkpoints) -> list[Feature]:
    """Descriptions of the checkpoints that need no reference."""
    cards = [checkpoints.usable[name].card for name in checkpoints.without_references]
    features = ((neural_feature(f"{OF_CHECKPOINTS}{card.name}"), card) for card in cards)
    return [
        replace(feature, source=f"{card.architecture}, licence {card.licence}") for feature, card in features if feature is not None
    ]


def features_catalogue(checkpoints: Checkpoints) -> FeaturesCatalogue:
    """Every feature, those of checkpoints that need no reference behind, and every feature set."""
    features = [
        {
            "id": feature.id,
            "name": feature.name,
            "description": feature.description,
            "level": feature.level.value,
            "family": feature.family.value,
            "source": feature.source,
            "needs": [str(need) for need in feature.needs],
        }
        for feature in (*CATALOGUE.values(), *_neural_features(checkpoints))
    ]
    sets = [
        {
            "name": chosen_set.name,
            "description": chosen_set.description,
            "features": [feature.id for feature in chosen_set.features],
            "needs": [str(need) for need in chosen_set.needs],
            "requires": sorted(str(need) for need in chosen_set.requires),
        }
        for chosen_set in feature_sets().values()
    ]
    return {"features": features, "sets": sets}


def list_metrics(engine: Engine) -> MetricsCatalogue:
    """Every metric with its variants and the options it takes, and the trained metrics that are loaded."""
    rows = [
        {
            "name": metric.name,
            "description": metric.description,
            "variants": metric.variants,
            "options": {key: option.accepted_values for key, option in metric.options.items()},
            "source": metric.source,
        }
        for metric in METRICS.values()
    ]
    trained_metrics = [
        {
            "id": metric.id,
            "kind": metric.kind,
            "language": metric.language,
            "unit": metric.unit,
            "sha256": metric.checksum,
            "card": dict(metric.card),
        }
        for metric in engine.registry.metrics.values()
    ]
    checkpoints = engine.resources.checkpoints
    broken = broken_rows({**engine.registry.broken_metrics, **checkpoints.broken})
    answer: MetricsCatalogue = {"metrics": rows, "trained": trained_metrics}
    neural = [_neural_row(checkpoint.card) for checkpoint in checkpoints.usable.values()]
    if neural:
        answer["neural"] = neural
    return {**answer, "broken": broken} if broken else answer
