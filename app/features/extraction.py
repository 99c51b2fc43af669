"""From a batch and a feature set to a FeatureMatrix."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from app.features.baseline import BASELINE, compute_baseline
from app.features.declaration import Feature, FeatureMatrix, Need
from app.features.glass_box import GLASS_BOX, compute_glass_box
from app.features.requirements import PairResources
from app.text.arrays import Float64s
from app.text.batch import SegmentBatch
from app.text.errors import InputError

__all__ = ["CATALOGUE", "FeatureSet", "extract_features", "feature_set", "feature_sets"]

Group = Callable[[SegmentBatch, PairResources, frozenset[str]], Mapping[str, Float64s]]
GROUPS: Final[tuple[tuple[tuple[Feature, ...], Group], ...]] = (
    (BASELINE, compute_baseline),
    (GLASS_BOX, compute_glass_box),
)
CATALOGUE: Final[Mapping[str, Feature]] = {f.id: f for features, _ in GROUPS for f in features}


@dataclass(frozen=True)
class FeatureSet:
    """A named list of features."""

    name: str
    description: str
    features: tuple[Feature, ...]

    @property
    def needs_log_probs(self) -> bool:
        """Whether some feature needs the MT system's token log-probabilities."""
        return any(Need.TOKEN_LOG_PROBS in feature.needs for feature in self.features)


@cache
def feature_sets() -> Mapping[str, FeatureSet]:
    """Every set of sets.toml by name."""
    with (Path(__file__).parent / "sets.toml").open("rb") as file:
        declared = tomllib.load(file)
    return {
        name: FeatureSet(name, entry["description"], tuple(CATALOGUE[i] for i in _ids(name, declared)))
        for name, entry in declared.items()
    }


def _ids(name: str, declared: Mapping[str, dict[str, list[str]]]) -> list[str]:
    entry = declared[name]
    return [i for base in entry.get("extends", []) for i in _ids(base, declared)] + entry["features"]


def feature_set(name: str) -> FeatureSet:
    """The set called `name`; InputError names the sets there are."""
    found = feature_sets().get(name)
    if found is None:
        raise InputError("unknown-feature-set", f"feature sets are {', '.join(feature_sets())}", ("feature_set",))
    return found


def extract_features(batch: SegmentBatch, wanted: FeatureSet, resources: PairResources) -> FeatureMatrix:
    """All values of `wanted` for every segment of `batch`, each group computed once for the whole batch."""
    ids = frozenset(feature.id for feature in wanted.features)
    columns: dict[str, Float64s] = {}
    if len(batch):
        for features, compute in GROUPS:
            if ids & {feature.id for feature in features}:
                columns |= compute(batch, resources, ids)
    values = np.empty((len(batch), len(wanted.features)))
    for k, feature in enumerate(wanted.features):
        values[:, k] = columns[feature.id] if len(batch) else 0
    return FeatureMatrix(wanted.features, values)
