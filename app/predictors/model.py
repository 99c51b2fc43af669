"""A predictor in memory: its card, what serves it, and how features and labels are standardised around that."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.features import Need, needs_of
from app.predictors.distribution import Distribution
from app.predictors.explanation import shapley_values
from app.predictors.labels import Label, Scale, label_named
from app.predictors.prediction import Prediction
from app.predictors.regressor import Regressor
from app.text.side_information.kinds import TOKEN_LOG_PROBS

__all__ = ["Card", "Model", "standardise"]

# Standardised features are cut at this many standard deviations: a kernel says nothing about a point
# far from all it has seen.
CUT: Final = 4.0
# Rows that a model was trained on may have been kept in half precision (registry/rows.py), of which this is the step at one
# deviation: what was 0 in a text is nearly 0 in them, and what is 0 in the next text is not to count as another value.
STEP: Final = 2.0**-10


def standardise(values: Float64s, centre: Float64s, scale: Float64s) -> Float64s:
    """Features (n, k) as learners see them: centred, scaled, cut, rounded to single precision."""
    return np.clip((values - centre) / scale, -CUT, CUT).astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class Card:
    """What a predictor is, what it was trained on and how good it was measured to be; `parent` is the version before it.

    `resources` maps the files that its features were computed from to their SHA-256; empty where nobody wrote them down.
    `scale` is that of its labels where one was declared; otherwise they are as usual. `licences` are those of checkpoints that its
    features ask, by their names.
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

    def as_json(self) -> dict[str, Any]:
        """All of it; a scale only where one was declared, licences only where there are some."""
        fields = asdict(self)
        return {name: value for name, value in fields.items() if name not in ("scale", "licences") or value}


@dataclass(frozen=True)
class Model:
    """A loaded predictor: standardise the features, predict, return to the label's unit.

    `centre` and `scale` (k,) are of the training features, `label_centre` and `label_scale` of the
    training labels; `calibration` holds |residual| / std of held-out segments, ascending, and `residuals` the same with their
    signs (label less prediction), None where only magnitudes were kept; `seen` is how training features were distributed.
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

    @property
    def label(self) -> Label:
        """The label that is predicted."""
        return label_named(self.card.label, self.card.scale)

    @cached_property
    def usual(self) -> Distribution:
        """How features are distributed in training, as those of live segments are compared with it."""
        distance = np.abs(self.seen.edges - self.centre[:, None]).max(1)
        return self.seen.within(STEP * (self.scale + distance))

    def standardise(self, values: Float64s) -> Float64s:
        """Features (n, k) as the learner saw them."""
        return standardise(values, self.centre, self.scale)

    def predict(self, values: Float64s, coverage: float = 0.9) -> Prediction:
        """Predict n rows of features (n, k); the interval is split-conformal on held-out residuals."""
        mean, variance = self.regressor.predict(self.standardise(values))
        mean = mean * self.label_scale + self.label_centre
        return self.interval(mean, np.sqrt(variance) * self.label_scale, coverage)

    def interval(self, mean: Float64s, std: Float64s, coverage: float) -> Prediction:
        """Means and standard deviations with the interval of a coverage; all cut to the label's range.

        The interval lies around the cut mean, which is never further from the truth.
        """
        half = self._quantile(coverage) * std
        bound = (self.label.lowest, self.label.highest)
        centre = _clip(mean, bound)
        return Prediction(centre, std, _clip(centre - half, bound), _clip(centre + half, bound), coverage)

    def _quantile(self, coverage: float) -> float:
        n = len(self.calibration)
        return float(self.calibration[min(n - 1, int(np.ceil(coverage * (n + 1))) - 1)])

    def contributions(self, values: Float64s) -> Float64s:
        """How far each feature moved the mean from `baseline`, in the label's unit (n, k); rows add up to the difference."""
        return shapley_values(self.regressor, self.standardise(values)) * self.label_scale

    @property
    def baseline(self) -> float:
        """What is predicted where every feature is at its training mean."""
        return float(self.regressor.means(np.zeros((1, len(self.card.features))))[0]) * self.label_scale + self.label_centre

    @property
    def relevance(self) -> Float64s | None:
        """How much each feature counts, adding up to 1, where the learner says so; shape (k,).

        Inverse squared length scales of a Gaussian process, squared weights of a linear predictor.
        """
        relevance = self.regressor.relevance()
        return None if relevance is None or not relevance.sum() > 0 else relevance / relevance.sum()

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What its features need, in the order of `NEEDS` and checkpoints behind, as far as there are such features."""
        return needs_of(self.card.features)

    @property
    def needs_log_probs(self) -> bool:
        """Whether every segment must come with the log-probabilities of its tokens."""
        return TOKEN_LOG_PROBS in self.needs


def _clip(values: Float64s, bound: tuple[float | None, float | None]) -> Float64s:
    low, high = bound
    if low is None and high is None:
        return values
    return np.clip(values, low, high)
