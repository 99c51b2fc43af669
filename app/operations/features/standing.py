"""Members of an answer about features: their training distribution, and the place of each value in it."""

from collections.abc import Sequence
from typing import Annotated, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.engine import Engine
from app.operations.parts.rounding import rounded
from app.predictors import Model
from app.registry.standing import Basis

__all__ = ["FeatureDistribution", "Standings", "distribution_of", "standings"]

ABOUT_BASIS = (
    "`rows`: the stored rows of the training, held-out ones included. `deciles`: those of the model, for features without rows"
)
ABOUT_ROWS = "Number of stored rows, held-out ones included, or of training rows by deciles; null if unknown"
ABOUT_SHARES = "Shares of the training rows below the first edge, between neighbours, and above the last edge"
ABOUT_PERCENTILES = "Per segment: share of the training rows below each value, with half of the equal ones, in percent"
ABOUT_DEVIATIONS = "Per segment: distance of each value from the mean of the training rows, in their standard deviations"
Places = list[list[float | None]]


class FeatureDistribution(TypedDict):
    """Distribution of a feature over the training rows of the model."""

    id: str
    basis: Annotated[Basis, Field(description=ABOUT_BASIS)]
    rows: Annotated[int | None, Field(description=ABOUT_ROWS)]
    mean: float
    deviation: Annotated[float, Field(description="Standard deviation of the training rows")]
    edges: Annotated[list[float], Field(description="Ascending bounds of bins")]
    shares: Annotated[list[float], Field(description=ABOUT_SHARES)]


class Standings(TypedDict):
    """With `distribution`, in the order of `features`; null for features that the model does not have."""

    model: NotRequired[Annotated[str, Field(description="The predictor with this training distribution")]]
    distribution: NotRequired[list[FeatureDistribution | None]]
    percentiles: NotRequired[Annotated[Places, Field(description=ABOUT_PERCENTILES)]]
    deviations: NotRequired[Annotated[Places, Field(description=ABOUT_DEVIATIONS)]]


def distribution_of(engine: Engine, model: Model, features: Sequence[str]) -> list[FeatureDistribution | None]:
    """Training distribution of each feature; None for a feature that the model does not have."""
    training, rows = engine.registry.distribution(model), model.card.training_data.get("segments")
    answers: list[FeatureDistribution | None] = []
    for feature in features:
        if feature not in training:
            answers.append(None)
            continue
        shape = training.shape(feature)
        answers.append(
            {
                "id": feature,
                "basis": shape.basis,
                "rows": training.row_count if shape.basis == "rows" else rows if isinstance(rows, int) else None,
                "mean": rounded(shape.mean),
                "deviation": rounded(shape.deviation),
                "edges": [rounded(edge) for edge in shape.edges],
                "shares": [rounded(share) for share in shape.shares],
            }
        )
    return answers


def standings(engine: Engine, model: Model, features: Sequence[str], values: Float64s) -> tuple[Places, Places]:
    """Percentiles and deviations of values (n, k) in the training distribution; None for features that the model does not have."""
    training = engine.registry.distribution(model)
    percentiles, deviations = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    for k, feature in enumerate(features):
        if feature in training:
            percentiles[:, k] = training.percentiles(feature, values[:, k])
            deviations[:, k] = training.deviations(feature, values[:, k])
    return _rounded(percentiles), _rounded(deviations)


def _rounded(table: Float64s) -> Places:
    return [[rounded(value) if np.isfinite(value) else None for value in row] for row in table]
