"""A predictor on disk: card.json and arrays.safetensors, nothing that runs code when read."""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from app.errors import InputError
from app.predictors.distribution import Distribution
from app.predictors.learners import ADAPTED, LEARNER_NAMES, LEARNERS, regressor_of
from app.predictors.model import Card, Model

__all__ = ["SCHEMA_VERSION", "load_model", "load_models", "save_model"]

SCHEMA_VERSION: Final = 2
TUNED_ON_HELD_OUT: Final = frozenset(learner.name for learner in LEARNERS if learner.tunes_on_held_out)


def save_model(model: Model, folder: Path) -> None:
    """Write card.json, arrays.safetensors and README.md; byte for byte the same for the same model."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, np.ndarray] = {f"learner.{name}": value for name, value in model.regressor.arrays().items()}
    arrays |= {
        "centre": model.centre,
        "scale": model.scale,
        "label": np.array([model.label_centre, model.label_scale]),
        "calibration": model.calibration,
        "seen.cuts": model.seen.edges,
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
    chosen = "chose the hyper-parameters and " if card.learner in TUNED_ON_HELD_OUT else ""
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
    if card.schema_version != SCHEMA_VERSION or card.learner not in (*LEARNER_NAMES, ADAPTED):
        raise InputError("unknown-model", f"models/{folder.name} is of a schema or learner this version cannot serve")
    for name, value in arrays.items():
        if value.dtype not in (np.float64, np.float32) or not np.isfinite(value).all():
            raise InputError("unknown-model", f"models/{folder.name}: array {name} is not of finite floats")
    learner = {name.removeprefix("learner."): value for name, value in arrays.items() if name.startswith("learner.")}
    try:
        regressor = regressor_of(card.learner, learner)
        seen = Distribution(arrays["seen.cuts"], arrays["seen.shares"])
        if seen.edges.shape != (len(card.features), 9) or seen.shares.shape != (len(card.features), 10):
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
