"""Extraction: from a batch and a feature set to a FeatureMatrix."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.features.catalogue import FeatureSet
from app.features.declaration import Feature, Level
from app.features.needs import Alternatives, CheckpointNeed, Evidence, Need, PartNeed, in_order, refusal
from app.features.plans.plan import FeaturePlan
from app.features.requirements import missing
from app.features.view import PairResources, View
from app.text.batch import SegmentBatch
from app.text.side_information import Kind

__all__ = ["FeatureMatrix", "OmittedFeature", "extract_features", "features_of_view", "split_available"]


# Plans of a pair's resources at a time; requests name features freely.
MOST_PLANS: Final = 100
# Stands for an infinite value.
INFINITE: Final = 1e12


@dataclass(frozen=True)
class OmittedFeature:
    """A feature that cannot be computed, and its missing need."""

    feature: Feature
    missing: Need

    @property
    def reason(self) -> str:
        """The reason in words."""
        if isinstance(self.missing, Alternatives):
            return f"{self.missing}: neither sent nor loaded"
        return f"{self.missing} {'not sent' if isinstance(self.missing, (Kind, PartNeed)) else 'not loaded'}"


@dataclass(frozen=True)
class FeatureMatrix:
    """Finite values (n, k), the k features in column order, and the features of the set without values.

    Features of documents have one row for all segments. Segments in `truncated` have values of their first tokens.
    """

    features: tuple[Feature, ...]
    values: Float64s
    left_out: tuple[OmittedFeature, ...] = ()
    truncated: frozenset[int] = frozenset()


def split_available(
    features: FeatureSet, resources: PairResources, evidence: Evidence
) -> tuple[tuple[Feature, ...], tuple[OmittedFeature, ...]]:
    """Split a set into features that can be computed and others; InputError for a missing requirement of the set."""
    need = missing(in_order(features.requires), resources, evidence)
    if need is not None:
        raise refusal(need, resources.checkpoints)
    lacking_of = {needs: missing(needs, resources, evidence) for needs in features.combinations}
    if all(need is None for need in lacking_of.values()):
        return features.features, ()
    lacks = [(feature, lacking_of[feature.needs]) for feature in features.features]
    return (
        tuple(feature for feature, need in lacks if need is None),
        tuple(OmittedFeature(feature, need) for feature, need in lacks if need is not None),
    )


def extract_features(batch: SegmentBatch, features: FeatureSet, resources: PairResources, strict: bool = False) -> FeatureMatrix:
    """Values of all `features` for every segment of `batch`, as `features_of_view`."""
    return features_of_view(View(batch, resources), features, strict)


def features_of_view(view: View, features: FeatureSet, strict: bool = False) -> FeatureMatrix:
    """Values of all `features` for every segment of a view; shared values are computed once for the whole batch.

    With `strict`, as for predictors, a missing feature is an InputError. So is a set without computable features.
    """
    plan, omissions = _plan(view, features)
    if omissions and (strict or not plan.features):
        if isinstance(omissions[0].missing, CheckpointNeed):
            raise refusal(omissions[0].missing, view.resources.checkpoints)
        raise InputError(
            "missing-evidence" if isinstance(omissions[0].missing, (Kind, PartNeed, Alternatives)) else "missing-resource",
            f"feature {omissions[0].feature.id} cannot be computed: {omissions[0].reason}",
        )
    if plan.levels - {Level.SENTENCE} and plan.levels != {Level.DOCUMENT}:
        detail = "features of words come from POST /v1/quality with level=word; ask for segments and documents in two requests"
        raise InputError("unknown-feature-set", detail, ("feature_set",))
    values = plan.values(view, 1 if Level.DOCUMENT in plan.levels else len(view))
    if not np.isfinite(values).all():
        # Quotients of extreme numbers in a request; readers need finite values.
        values = np.nan_to_num(values, nan=0.0, posinf=INFINITE, neginf=-INFINITE)
    return FeatureMatrix(plan.features, values, omissions)


def _plan(view: View, features: FeatureSet) -> tuple[FeaturePlan, tuple[OmittedFeature, ...]]:
    """The plan of the computable features of a set, and the rest; found once for resources and kinds of side information."""
    resources, evidence = view.resources, view.given
    # A checkpoint that fails at work is usable no more.
    key = id(features), evidence, tuple(resources.checkpoints.usable)
    entry = resources.plans.get(key)
    if entry is None:
        computable, omissions = split_available(features, resources, evidence)
        if len(resources.plans) >= MOST_PLANS:
            resources.plans.clear()
        # The entry holds the set, so that no other one gets its number.
        resources.plans[key] = entry = FeaturePlan.of(computable), omissions, features
    return entry[0], entry[1]
