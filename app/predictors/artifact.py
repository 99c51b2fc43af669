"""A predictor on disk: card.json, arrays.safetensors and residuals.safetensors, which run no code when they are read.

Older predictors have no residuals with signs.
"""

import hashlib
import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Final, NotRequired

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.features import Level, feature_called
from app.predictors.distribution import Distribution
from app.predictors.labels import Scale, label_named
from app.predictors.learners import CORRECTION, LEARNER_NAMES, LEARNERS, regressor_of
from app.predictors.model import Card, Model
from app.predictors.stored import ARRAYS, arrays_below, save_files, unreadable
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["SCHEMA_VERSION", "load_model", "read_card", "save_model", "save_residuals"]

SCHEMA_VERSION: Final = 2
CARD: Final = "card.json"
RESIDUALS: Final = "residuals.safetensors"
# Means of segments' labels that labels of documents may be.
MEANS: Final = ("weighted", "plain")
# Standard deviations: corrected features move the residuals of an older predictor a little.
RESIDUAL_TOLERANCE: Final = 0.05
PAIR: Final = re.compile("[a-z]{2,3}-[a-z]{2,3}")
TUNING_LEARNERS: Final = frozenset(learner.name for learner in LEARNERS if learner.tunes_on_held_out)


class _CoverageFields(TypedDict):
    """Measured coverage of intervals."""

    coverage: float
    measured: float
    width: float


class _LearningPoint(TypedDict):
    """Accuracy of a predictor of any pair after learning from a number of labels of one pair."""

    labels: int
    pearson: float
    mae: float


class _GradeFields(TypedDict):
    """Measured accuracy of one grade."""

    grade: float
    segments: int
    precision: float | None
    recall: float | None
    f1: float | None


class _PredictorAccuracy(TypedDict):
    """Measured accuracy on every card."""

    pearson: float
    mae: float
    data: str
    segments: int
    intervals: list[_CoverageFields]
    curve: NotRequired[list[_LearningPoint]]
    grades: NotRequired[list[_GradeFields]]


def save_model(model: Model, folder: Path) -> None:
    """Write card.json, the arrays and README.md; equal models give equal bytes."""
    arrays: dict[str, np.ndarray] = {f"learner.{name}": value for name, value in model.regressor.arrays().items()}
    arrays |= {
        "centre": model.centre,
        "scale": model.scale,
        "label": np.array([model.label_centre, model.label_scale]),
        "calibration": model.calibration,
        "seen.cuts": model.seen.edges,
        "seen.shares": np.asarray(model.seen.shares),
    }
    save_files(folder, CARD, model.card.as_json(), arrays, _readme(model.card))
    if model.residuals is not None:
        save_residuals(model.residuals, folder)


def save_residuals(residuals: Float64s, folder: Path) -> None:
    """Write residuals / std of held-out segments (n,), ascending, beside a predictor's arrays."""
    (folder / RESIDUALS).write_bytes(save({"residuals": residuals.astype(np.float32)}))


def _readme(card: Card) -> str:
    accuracy = "".join(f"| {name} | {value:.4f} |\n" for name, value in card.accuracy.items() if isinstance(value, float))
    intervals = "".join(
        f"| {row['coverage']:.0%} | {row['measured']:.1%} | {row['width']:.4f} |\n" for row in card.accuracy["intervals"]
    )
    units, of = ("documents", " of documents") if card.documents else ("segments", "")
    choice = "chose the hyper-parameters and " if card.learner in TUNING_LEARNERS else ""
    return (
        f"# {card.id}\n\nPredicts `{card.label}` ({card.unit}, {card.direction}){of} for {card.pair} from the "
        f"feature set `{card.feature_set}` with the learner `{card.learner}`.\n\n"
        f"Measured on {card.accuracy['data']} ({card.accuracy['segments']} {units}) by `assay evaluate`:\n\n"
        f"| measure | value |\n|---|---|\n{accuracy}\n"
        f"| interval | labels it held | mean width |\n|---|---|---|\n{intervals}\n"
        f"The held-out {units} also {choice}calibrated the intervals. What these held was measured on each tenth with\n"
        f"intervals calibrated on the other nine. Licence: {card.licence}.\n"
    )


def read_card(folder: Path) -> Card:
    """Read the card of a predictor and check the types of its members; the InputError names the fault."""
    try:
        fields = read_object(folder / CARD)
        scale = fields.get("scale")
        unknown = fields.keys() - Card.__dataclass_fields__.keys()
        if unknown or (isinstance(scale, dict) and scale.keys() - Scale.__dataclass_fields__.keys()):
            raise ValueError(f"{CARD} has members that no card of this version has")
        card = as_kind(Card, fields, CARD)
        as_kind(_PredictorAccuracy, card.accuracy, f"{CARD}: accuracy")
    except (OSError, ValueError) as error:
        raise unreadable(folder, CARD, error) from None
    if card.schema_version != SCHEMA_VERSION or card.learner not in (*LEARNER_NAMES, CORRECTION):
        raise InputError("unknown-model", f"models/{folder.name} is of a schema or learner this version cannot serve")
    if not PAIR.fullmatch(card.pair) or not _has_label(card) or not card.features:
        raise InputError("unknown-model", f"models/{folder.name} has an unknown language pair or label, or no features")
    if card.documents not in (None, *MEANS) or bool(card.documents) != _is_of_documents(card.features):
        raise InputError("unknown-model", f"models/{folder.name} is of documents, and its features or means are not")
    return card


def _is_of_documents(features: Sequence[str]) -> bool:
    """Return True if the first known feature describes documents."""
    levels = (feature.level for name in features if (feature := feature_called(name)) is not None)
    return next(levels, None) is Level.DOCUMENT


def _has_label(card: Card) -> bool:
    """Return True if the label, on its scale, can be predicted."""
    try:
        label_named(card.label, card.scale)
    except InputError:
        return False
    return True


def load_model(folder: Path) -> Model:
    """Read and check a predictor: schema, shapes, dtypes and finiteness; the InputError names the fault."""
    card = read_card(folder)
    try:
        raw = (folder / ARRAYS).read_bytes()
        arrays = load(raw)
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        reason = error if isinstance(error, OSError) else ValueError(f"{ARRAYS} is damaged, or only the beginning of it")
        raise unreadable(folder, CARD, reason) from None
    for name, value in arrays.items():
        if value.dtype not in (np.float64, np.float32) or not np.isfinite(value).all():
            raise InputError("unknown-model", f"models/{folder.name}: array {name} is not of finite floats")
    k = len(card.features)
    try:
        shapes = {"centre": (k,), "scale": (k,), "label": (2,), "seen.cuts": (k, 9), "seen.shares": (k, 10)}
        if any(arrays[name].shape != shape for name, shape in shapes.items()):
            raise ValueError("a shape")
        if arrays["calibration"].ndim != 1 or not arrays["calibration"].size or not arrays["scale"].all():
            raise ValueError("the calibration, or a scale")
        regressor = regressor_of(card.learner, arrays_below(arrays, "learner."))
        usual = Distribution(arrays["seen.cuts"], arrays["seen.shares"])
        label = arrays["label"]
        model = Model(
            card, regressor, arrays["centre"], arrays["scale"], float(label[0]), float(label[1]), arrays["calibration"], usual,
            hashlib.sha256(raw).hexdigest(), _residuals(folder, arrays["calibration"]),
        )  # fmt: skip
        _try(model)
    except InputError:
        # A package of this learner is not installed.
        raise
    except (KeyError, ValueError, IndexError, TypeError, AttributeError, ArithmeticError):
        raise InputError("unknown-model", f"models/{folder.name}: arrays are missing or of the wrong shape") from None
    return model


def _residuals(folder: Path, calibration: Float64s) -> Float64s | None:
    """Residuals with signs, None without a file; InputError unless their magnitudes are the calibration."""
    try:
        residuals = load((folder / RESIDUALS).read_bytes())["residuals"].astype(np.float64)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, SafetensorError):
        raise InputError("unknown-model", f"models/{folder.name}: {RESIDUALS} cannot be read") from None
    magnitudes = np.sort(np.abs(residuals), axis=None)
    if residuals.shape != calibration.shape or not np.allclose(magnitudes, calibration, rtol=0, atol=RESIDUAL_TOLERANCE):
        raise InputError("unknown-model", f"models/{folder.name}: {RESIDUALS} is of another model")
    return np.sort(residuals)


def _try(model: Model) -> None:
    """Call every method of a model once, so that a faulty model fails here and not in a request; ValueError."""
    k = len(model.card.features)
    prediction = model.predict(np.zeros((2, k)))
    relevance = model.relevance
    # The counts of drift are a kernel too.
    model.usual.counts(np.zeros((2, k)))
    numbers = (prediction.mean, prediction.std, prediction.low, prediction.high)
    if any(value.shape != (2,) or not np.isfinite(value).all() for value in numbers) or not isfinite(model.baseline):
        raise ValueError("what it predicts")
    if relevance is not None and relevance.shape != (k,):
        raise ValueError("its relevances")
