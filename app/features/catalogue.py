"""The catalogue of features, and their sets (sets.toml)."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.features.black_box.adequacy import ADEQUACY
from app.features.black_box.bags_of_words import BAGS_OF_WORDS
from app.features.black_box.comparisons import COMPARISONS
from app.features.black_box.constituents import CONSTITUENTS
from app.features.black_box.corpus_statistics import CORPUS_STATISTICS
from app.features.black_box.entities import ENTITIES
from app.features.black_box.grammar import GRAMMAR
from app.features.black_box.retrieval import RETRIEVAL
from app.features.black_box.surface import SURFACE
from app.features.black_box.word_counts import WORD_COUNTS
from app.features.cross_encoder import CROSS_GROUP
from app.features.declaration import Feature, FeatureGroup, Level
from app.features.document import DOCUMENT, declare_means
from app.features.glass_box.n_best import LISTS
from app.features.glass_box.token_probabilities import TOKEN_PROBABILITIES
from app.features.needs import Need, in_order, need_called
from app.features.neural import neural_feature
from app.features.word_level import GAPS, WORD_SUMMARIES, WORDS
from app.running.plug_ins import attach_plug_ins

__all__ = [
    "CATALOGUE",
    "GROUPS",
    "FeatureSet",
    "exact_set",
    "feature_called",
    "feature_set",
    "feature_sets",
    "features_named",
    "needs_of",
]

GROUPS_OF_ASSAY: Final[tuple[FeatureGroup, ...]] = (
    SURFACE,
    CORPUS_STATISTICS,
    ADEQUACY,
    GRAMMAR,
    CONSTITUENTS,
    ENTITIES,
    RETRIEVAL,
    WORD_COUNTS,
    BAGS_OF_WORDS,
    COMPARISONS,
    LISTS,
    TOKEN_PROBABILITIES,
    WORD_SUMMARIES,
    DOCUMENT,
    WORDS,
    GAPS,
    CROSS_GROUP,
)
declare_means(feature for group in (SURFACE, CORPUS_STATISTICS, ADEQUACY, GRAMMAR) for feature in group)


def installed_groups() -> tuple[FeatureGroup, ...]:
    """Feature groups of installed packages, by the entry points ``assay.features``."""
    groups: list[FeatureGroup] = []

    def attach(group: FeatureGroup) -> None:
        catalogue_of((*GROUPS_OF_ASSAY, *groups, group))
        groups.append(group)

    attach_plug_ins("assay.features", FeatureGroup, attach)
    return tuple(groups)


def catalogue_of(groups: Sequence[FeatureGroup]) -> Mapping[str, Feature]:
    """Every feature by id; ValueError for a repeated id."""
    features = [feature for group in groups for feature in group]
    catalogue = {feature.id: feature for feature in features}
    if len(catalogue) != len(features):
        duplicate = next(
            feature.id for k, feature in enumerate(features) if feature.id in {predecessor.id for predecessor in features[:k]}
        )
        raise ValueError(f"the feature id {duplicate!r} is taken")
    return catalogue


GROUPS: Final[tuple[FeatureGroup, ...]] = (*GROUPS_OF_ASSAY, *installed_groups())
CATALOGUE: Final[Mapping[str, Feature]] = catalogue_of(GROUPS)


@dataclass(frozen=True)
class FeatureSet:
    """A named list of features. Needs in `requires` must be met; other features without their needs are left out."""

    name: str
    description: str
    features: tuple[Feature, ...]
    requires: frozenset[Need] = frozenset()

    @property
    def level(self) -> Level:
        """The level of its features."""
        return self.features[0].level

    @cached_property
    def combinations(self) -> frozenset[tuple[Need, ...]]:
        """Distinct needs of its features: a set has hundreds of features, but few combinations of needs."""
        return frozenset(feature.needs for feature in self.features)

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """Needs of all its features, in the order of `in_order`."""
        return in_order(need for feature in self.features for need in feature.needs)


def feature_called(name: str) -> Feature | None:
    """The feature of an id: one of the catalogue, or that of a checkpoint, loaded or not; None for an unknown id."""
    return CATALOGUE.get(name) or neural_feature(name)


def needs_of(names: Iterable[str]) -> tuple[Need, ...]:
    """Needs of the known features among these, in the order of `in_order`."""
    features = (feature for name in names if (feature := feature_called(name)) is not None)
    return in_order(need for feature in features for need in feature.needs)


def features_named(ids: Sequence[str]) -> tuple[Feature, ...]:
    """The features of these ids; the InputError names the first unknown one."""
    features = [feature_called(name) for name in ids]
    unknown = next((number for number, feature in enumerate(features) if feature is None), None)
    if unknown is not None:
        raise InputError("unknown-feature-set", "there is no such feature; GET /v1/features/catalogue lists them", (unknown,))
    return tuple(feature for feature in features if feature is not None)


def exact_set(name: str, ids: Sequence[str]) -> FeatureSet:
    """A set of exactly these features, without requirements."""
    return _exact_set(name, tuple(ids), len(CATALOGUE))


@lru_cache(maxsize=512)
def _exact_set(name: str, ids: tuple[str, ...], catalogue_size: int) -> FeatureSet:
    # Installed packages may add features.
    return FeatureSet(name, "", features_named(ids))


@cache
def feature_sets() -> Mapping[str, FeatureSet]:
    """Every set of sets.toml by name."""
    with (Path(__file__).parent / "sets.toml").open("rb") as file:
        tables = tomllib.load(file)
    return {
        name: FeatureSet(
            name,
            entry["description"],
            tuple(CATALOGUE[i] for i in dict.fromkeys(_ids(name, tables))),
            frozenset(need_called(need) for need in _required(name, tables)),
        )
        for name, entry in tables.items()
    }


def _ids(name: str, tables: Mapping[str, dict[str, list[str]]]) -> list[str]:
    entry = tables[name]
    group_ids = [i for group in GROUPS if group.title in entry.get("groups", []) for i in (feature.id for feature in group)]
    excluded_ids = set(entry.get("without", []))
    bases = [i for base in entry.get("extends", []) for i in _ids(base, tables)]
    return [i for i in [*bases, *entry.get("features", []), *group_ids] if i not in excluded_ids]


def _required(name: str, tables: Mapping[str, dict[str, list[str]]]) -> list[str]:
    entry = tables[name]
    return [need for base in entry.get("extends", []) for need in _required(base, tables)] + entry.get("requires", [])


def feature_set(name: str) -> FeatureSet:
    """The set called `name`, or ``SET+neural.NAME``, or ``neural.NAME`` alone, with one or more checkpoints.

    The InputError lists the sets. Named checkpoints are required.
    """
    if (declared_set := feature_sets().get(name)) is not None:
        return declared_set
    begin, _, last = name.rpartition("+")
    if (neural := neural_feature(last)) is None:
        raise InputError("unknown-feature-set", f"feature sets are {', '.join(feature_sets())}", ("feature_set",))
    base_set = feature_set(begin) if begin else FeatureSet("", "", ())
    features = tuple(dict.fromkeys([*base_set.features, neural]))
    return FeatureSet(name, base_set.description, features, base_set.requires | {*neural.needs})
