"""A predictor in memory: its card, its regressor, and the standardisation of features and labels."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.features import FeatureSet, Need, exact_set, needs_of
from app.predictors.distribution import Distribution
from app.predictors.explanation import shapley_values
from app.predictors.labels import Label, Scale, label_named
from app.predictors.prediction import Prediction
from app.predictors.regressor import Regressor
from app.text.side_information.kinds import TOKEN_LOG_PROBS

__all__ = ["Card", "Model", "standardise"]

# Standardised features are cut at this many standard deviations: a kernel says nothing about a point far from its training rows.
CUT: Final = 4.0
# Training rows may be stored in half precision (registry/rows.py), whose step at one deviation this is: a stored 0 is only nearly
# 0, and a live 0 must not count as another value.
STEP: Final = 2.0**-10


def standardise(values: Float64s, centre: Float64s, scale: Float64s) -> Float64s:
    """Features (n, k) in the units of learners: centred, scaled, cut, rounded to single precision."""
    return np.clip((values - centre) / scale, -CUT, CUT).astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class Card:
    """Identity, training data and measured accuracy of a predictor; `parent` is its previous version.

    `resources` maps the files under its features to their SHA-256; it is empty on old cards. `scale` is the declared scale of its
    labels, None for the default one. `licences` maps checkpoints of its features to their licences. `documents` is set for a
    predictor of documents: their labels are the `weighted` (by tokens of translations) or `plain` means of their segments' labels.
    """

    schema_version: int
    id: str
    pair: str
    label: str
    unit: str
    direction: str
    feature_set: str
    features: tuple[str, ...]
    learner: str
    hyper_parameters: Mapping[str, Any]
    training_data: Mapping[str, str | int]
    accuracy: Mapping[str, Any]
    created: str
    software: Mapping[str, str]
    licence: str
    parent: str | None = None
    version: int = 1
    resources: Mapping[str, str] = field(default_factory=dict)
    scale: Scale | None = None
    licences: Mapping[str, str] = field(default_factory=dict)
    documents: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The card as JSON; a scale only if declared, licences and means of documents only if there are some."""
        # Copies of all values would take a tenth of the time in which a command reads the cards.
        members = {**vars(self), "scale": None if self.scale is None else asdict(self.scale)}
        return {name: value for name, value in members.items() if name not in ("scale", "licences", "documents") or value}


@dataclass(frozen=True)
class Model:
    """A loaded predictor: standardise the features, predict, return to the label's unit.

    `centre` and `scale` (k,) are of the training features, `label_centre` and `label_scale` of the training labels. `seen` is the
    distribution of training features. `calibration` holds |residual| / std of held-out segments, ascending. `residuals` holds
    residual / std with signs (label less prediction), None if only magnitudes are stored.
    """

    card: Card
    regressor: Regressor
    centre: Float64s
    scale: Float64s
    label_centre: float
    label_scale: float
    calibration: Float64s
    seen: Distribution
    checksum: str = ""
    residuals: Float64s | None = None

    @cached_property
    def label(self) -> Label:
        """The label that is predicted."""
        return label_named(self.card.label, self.card.scale)

    @cached_property
    def usual(self) -> Distribution:
        """Distribution of training features, for comparison with live segments."""
        distance = np.abs(self.seen.edges - self.centre[:, None]).max(1)
        return self.seen.within(STEP * (self.scale + distance))

    def standardise(self, values: Float64s) -> Float64s:
        """Features (n, k) in the learner's units."""
        return standardise(values, self.centre, self.scale)

    def predict(self, values: Float64s, coverage: float = 0.9) -> Prediction:
        """Predict n rows of features (n, k); the interval is split-conformal on held-out residuals."""
        mean, variance = self.regressor.predict(self.standardise(values))
        mean = mean * self.label_scale + self.label_centre
        return self.interval(mean, np.sqrt(variance) * self.label_scale, coverage)

    def interval(self, mean: Float64s, std: Float64s, coverage: float) -> Prediction:
        """Means and standard deviations with the interval of a coverage; all cut to the label's range.

        The interval lies around the cut mean, which is at least as near to the truth.
        """
        half = self._quantile(coverage) * std
        bound = (self.label.lowest, self.label.highest)
        centre = _clip(mean, bound)
        return Prediction(centre, std, _clip(centre - half, bound), _clip(centre + half, bound), coverage)

    def _quantile(self, coverage: float) -> float:
        n = len(self.calibration)
        return float(self.calibration[min(n - 1, int(np.ceil(coverage * (n + 1))) - 1)])

    def contributions(self, values: Float64s) -> Float64s:
        """Part of each feature in the difference between the mean and `baseline`, in the label's unit; shape (n, k)."""
        return shapley_values(self.regressor, self.standardise(values)) * self.label_scale

    @property
    def baseline(self) -> float:
        """The prediction for a segment with all features at their training means."""
        return float(self.regressor.means(np.zeros((1, len(self.card.features))))[0]) * self.label_scale + self.label_centre

    @property
    def relevance(self) -> Float64s | None:
        """Relevance of each feature, with sum 1; shape (k,), None for learners without one.

        Inverse squared length scales of a Gaussian process, squared weights of a linear predictor.
        """
        relevance = self.regressor.relevance()
        return None if relevance is None or not relevance.sum() > 0 else relevance / relevance.sum()

    @cached_property
    def feature_set(self) -> FeatureSet:
        """Set of the features, without requirements; InputError for an unknown feature."""
        return exact_set(self.card.id, self.card.features)

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """Needs of the known features, in the order of `NEEDS`, then checkpoints."""
        return needs_of(self.card.features)

    @property
    def needs_log_probs(self) -> bool:
        """True if every segment needs the log-probabilities of its tokens."""
        return TOKEN_LOG_PROBS in self.needs


def _clip(values: Float64s, bound: tuple[float | None, float | None]) -> Float64s:
    low, high = bound
    if low is None and high is None:
        return values
    return np.clip(values, low, high)
