"""From a batch and a feature set to a FeatureMatrix."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.features.catalogue import FeatureSet
from app.features.declaration import Feature, Level
from app.features.needs import CheckpointNeed, Need, in_order, refusal
from app.features.requirements import missing
from app.features.view import PairResources, View
from app.running.deadline import check_deadline
from app.text.batch import SegmentBatch
from app.text.side_information import Kind

__all__ = ["FeatureMatrix", "LeftOut", "extract_features", "features_of_view", "split_available"]


# What stands for a value that is too large for a number.
INFINITE: Final = 1e12


@dataclass(frozen=True)
class LeftOut:
    """A feature that could not be computed, and what it lacks."""

    feature: Feature
    missing: Need

    @property
    def reason(self) -> str:
        """Why, in words."""
        return f"{self.missing} {'not sent' if isinstance(self.missing, Kind) else 'not loaded'}"


@dataclass(frozen=True)
class FeatureMatrix:
    """Values of shape (n, k), finite, with the k features in column order, and the features of the set that are not there.

    Features of documents make one row of all segments. Segments in `truncated` were looked at as far as their first tokens.
    """

    features: tuple[Feature, ...]
    values: Float64s
    left_out: tuple[LeftOut, ...] = ()
    truncated: frozenset[int] = frozenset()


def split_available(
    wanted: FeatureSet, resources: PairResources, given: Container[Need]
) -> tuple[tuple[Feature, ...], tuple[LeftOut, ...]]:
    """The features that can be computed, and those that cannot; InputError where the set requires what was not given."""
    lacking = missing(in_order(wanted.requires), resources, given)
    if lacking is not None:
        raise refusal(lacking, resources.checkpoints)
    lacking_of = {needs: missing(needs, resources, given) for needs in wanted.combinations}
    if all(need is None for need in lacking_of.values()):
        return wanted.features, ()
    lacks = [(feature, lacking_of[feature.needs]) for feature in wanted.features]
    return (
        tuple(feature for feature, need in lacks if need is None),
        tuple(LeftOut(feature, need) for feature, need in lacks if need is not None),
    )


def extract_features(batch: SegmentBatch, wanted: FeatureSet, resources: PairResources, strict: bool = False) -> FeatureMatrix:
    """All values of `wanted` for every segment of `batch`, as `features_of_view`."""
    return features_of_view(View(batch, resources), wanted, strict)


def features_of_view(view: View, wanted: FeatureSet, strict: bool = False) -> FeatureMatrix:
    """All values of `wanted` for every segment of a view; what features share is computed once for the whole batch.

    `strict` refuses to leave any feature out (InputError), as predictors must. A set of which nothing is left is refused too.
    """
    kept, left_out = split_available(wanted, view.resources, view.given)
    if left_out and (strict or not kept):
        if isinstance(left_out[0].missing, CheckpointNeed):
            raise refusal(left_out[0].missing, view.resources.checkpoints)
        raise InputError(
            "missing-evidence" if isinstance(left_out[0].missing, Kind) else "missing-resource",
            f"feature {left_out[0].feature.id} cannot be computed: {left_out[0].reason}",
        )
    levels = {feature.level for feature in kept}
    if levels - {Level.SENTENCE} and levels != {Level.DOCUMENT}:
        detail = "features of words are asked for as POST /v1/quality with level=word; segments and documents are asked for apart"
        raise InputError("unknown-feature-set", detail, ("feature_set",))
    values = np.zeros((1 if Level.DOCUMENT in levels else len(view), len(kept)))
    if len(view):
        for k, feature in enumerate(kept):
            check_deadline()
            values[:, k] = feature.column(view)
    if not np.isfinite(values).all():
        # A quotient of extreme numbers that were sent; whoever reads the value must get a number.
        values = np.nan_to_num(values, nan=0.0, posinf=INFINITE, neginf=-INFINITE)
    return FeatureMatrix(kept, values, left_out)
