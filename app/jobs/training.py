"""The `train` kind: features in chunks, then one training, then a folder that appears at once."""

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from app.engine import Engine, Segments
from app.features import exact_set
from app.predictors import save_model
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.text import LanguagePair
from app.text.evidence import Evidence

__all__ = ["finish_training", "train_chunk"]

Json = dict[str, Any]


def train_chunk(engine: Engine, params: Json, part: Json) -> Json:
    """Features and labels of some segments."""
    pair = LanguagePair(params["source_language"], params["target_language"])
    sent = Segments(pair, part["sources"], part["translations"], part.get("token_log_probs"), Evidence.from_json(part))
    matrix = engine.features(sent, exact_set("asked", params["features"]))
    # What the model was trained on, without keeping the text.
    digest = hashlib.sha256(json.dumps(part, sort_keys=True).encode("ascii")).hexdigest()
    return {"rows": [], "carry": {"values": matrix.values.tolist(), "labels": part["labels"], "sha256": digest}}


def finish_training(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    """Train, and move the finished folder into `trained` in one step."""
    carried = [each["carry"] for each in outputs]
    values = np.array([row for each in carried for row in each["values"]], np.float64)
    labels = np.array([value for each in carried for value in each["labels"]], np.float64)
    digest = hashlib.sha256("".join(each["sha256"] for each in carried).encode("ascii")).hexdigest()
    whole = TrainingSet(values, labels, f"job {job}", digest)
    train, held_out = split_held_out(whole, params["held_out_share"], params["seed"])
    features = params["features"]
    pair = f"{params['source_language']}-{params['target_language']}"
    model = train_model(
        train,
        held_out,
        pair,
        params["label"],
        params["feature_set"],
        features,
        params["learner"],
        "private",
        params["seed"],
        model_id=f"{pair}-{params['label']}-{params['learner']}-{len(features)}-{job}",
    )
    folder, scratch = trained / model.card.id, trained / f".{model.card.id}"
    shutil.rmtree(scratch, ignore_errors=True)
    save_model(model, scratch)
    # A job that was killed after this step repeats it with the same outcome.
    shutil.rmtree(folder, ignore_errors=True)
    scratch.replace(folder)
    return {"model": model.card.id, "label": model.card.label, "accuracy": dict(model.card.accuracy)}
