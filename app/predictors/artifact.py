"""A predictor on disk: card.json and arrays.safetensors, nothing that runs code when read."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.distribution import Distribution
from app.predictors.explanation import relevance_of, shapley_values
from app.predictors.labels import Label, label_named
from app.predictors.learners import ADAPTED, LEARNERS, regressor_of
from app.predictors.prediction import Prediction
from app.predictors.regressor import Regressor

__all__ = ["Card", "Model", "load_model", "load_models", "save_model", "standardise"]

SCHEMA_VERSION: Final = 2
# Standardised features are cut at this many standard deviations: a kernel says nothing about a point
# far from all it has seen.
CUT: Final = 4.0


def standardise(values: Float64s, centre: Float64s, scale: Float64s) -> Float64s:
    """Features (n, k) as learners see them: centred, scaled, cut, rounded to single precision."""
    return np.clip((values - centre) / scale, -CUT, CUT).astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class Card:
    """What a predictor is, what it was trained on and how good it was measured to be; `parent` is the version before it."""

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


@dataclass(frozen=True)
class Model:
    """A loaded predictor: standardise the features, predict, return to the label's unit.

    `centre` and `scale` (k,) are of the training features, `label_centre` and `label_scale` of the
    training labels; `calibration` holds |residual| / std of held-out segments, ascending; `seen` is how training features
    were distributed.
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

    @property
    def label(self) -> Label:
        """The label that is predicted."""
        return label_named(self.card.label)

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
        found = relevance_of(self.regressor)
        return None if found is None or not found.sum() > 0 else found / found.sum()


def _clip(values: Float64s, bound: tuple[float | None, float | None]) -> Float64s:
    low, high = bound
    if low is None and high is None:
        return values
    return np.clip(values, low, high)


def save_model(model: Model, folder: Path) -> None:
    """Write card.json, arrays.safetensors and README.md; byte for byte the same for the same model."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, np.ndarray] = {f"learner.{name}": value for name, value in model.regressor.arrays().items()}
    arrays |= {
        "centre": model.centre,
        "scale": model.scale,
        "label": np.array([model.label_centre, model.label_scale]),
        "calibration": model.calibration,
        "seen.cuts": model.seen.cuts,
        "seen.shares": np.asarray(model.seen.shares),
    }
    arrays = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    (folder / "arrays.safetensors").write_bytes(save(arrays))
    card = json.dumps(asdict(model.card), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (folder / "card.json").write_text(card + "\n", encoding="utf-8")
    (folder / "README.md").write_text(_readme(model.card), encoding="utf-8")


def _readme(card: Card) -> str:
    accuracy = "".join(f"| {name} | {value:.4f} |\n" for name, value in card.accuracy.items() if isinstance(value, float))
    intervals = "".join(
        f"| {row['coverage']:.0%} | {row['measured']:.1%} | {row['width']:.4f} |\n" for row in card.accuracy["intervals"]
    )
    chosen = "chose the hyper-parameters and " if card.learner == "svr" else ""
    return (
        f"# {card.id}\n\nPredicts `{card.label}` ({card.unit}, {card.direction}) for {card.pair} from the "
        f"feature set `{card.feature_set}` with the learner `{card.learner}`.\n\n"
        f"Measured on {card.accuracy['data']} ({card.accuracy['segments']} segments) by `assay evaluate`:\n\n"
        f"| measure | value |\n|---|---|\n{accuracy}\n"
        f"| interval | labels it held | mean width |\n|---|---|---|\n{intervals}\n"
        f"The held-out segments also {chosen}calibrated the intervals. What these held was measured on each tenth with\n"
        f"intervals calibrated on the other nine. Licence: {card.licence}.\n"
    )


def load_model(folder: Path) -> Model:
    """Read and check a predictor: schema, shapes, dtypes and finiteness; InputError says what is wrong."""
    try:
        fields = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        raw = (folder / "arrays.safetensors").read_bytes()
        arrays = load(raw)
        card = replace(Card(**fields), features=tuple(fields["features"]))
    except (OSError, ValueError, TypeError, KeyError, SafetensorError):
        raise InputError("unknown-model", f"models/{folder.name} has no readable card.json and arrays.safetensors") from None
    if card.schema_version != SCHEMA_VERSION or card.learner not in (*LEARNERS, ADAPTED):
        raise InputError("unknown-model", f"models/{folder.name} is of a schema or learner this version cannot serve")
    for name, value in arrays.items():
        if value.dtype not in (np.float64, np.float32) or not np.isfinite(value).all():
            raise InputError("unknown-model", f"models/{folder.name}: array {name} is not of finite floats")
    learner = {name.removeprefix("learner."): value for name, value in arrays.items() if name.startswith("learner.")}
    try:
        regressor = regressor_of(card.learner, learner)
        seen = Distribution(arrays["seen.cuts"], arrays["seen.shares"])
        if seen.cuts.shape != (len(card.features), 9) or seen.shares.shape != (len(card.features), 10):
            raise ValueError("the distribution of the features")
        label = arrays["label"]
        model = Model(
            card, regressor, arrays["centre"], arrays["scale"], float(label[0]), float(label[1]), arrays["calibration"], seen,
            hashlib.sha256(raw).hexdigest(),
        )  # fmt: skip
        model.predict(np.zeros((1, len(card.features))))
    except InputError:
        # A package that serves this learner is not installed.
        raise
    except (KeyError, ValueError, IndexError):
        raise InputError("unknown-model", f"models/{folder.name}: arrays are missing or of the wrong shape") from None
    return model


def load_models(folder: Path) -> dict[str, Model]:
    """Every predictor under `folder`, by id (which is its folder's name)."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: load_model(path) for path in paths if (path / "card.json").is_file()}
