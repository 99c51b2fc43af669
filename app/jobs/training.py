"""The `train` kind: features in chunks, then one training, then a folder that appears at once.

With a `base` it makes that model's next version, from the base's own rows and what was sent (``retrain``), or by correcting the
base (``adapt``).
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import pearsonr

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set
from app.jobs.learning_curve import add_point, curve_file, draw_curve, read_curve
from app.metrics.meta_evaluation.differences import williams_test
from app.predictors import Model, save_model
from app.predictors.learners import parse_learner
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.predictors.training.multi_task import Task, train_together
from app.registry.artifacts import LocalArtifacts
from app.registry.rows import ROWS_FILE, KeptRows, write_rows
from app.text import LanguagePair
from app.text.side_information import SideInformation

__all__ = ["finish_training", "train_chunk"]

Json = dict[str, Any]
# Fewer judgements that were held back say nothing about which version is better.
FEWEST_HELD_BACK: Final = 30
SIGNIFICANT: Final = 0.05


def train_chunk(engine: Engine, params: Json, part: Json) -> Json:
    """Features and labels of some segments."""
    pair = LanguagePair(params["source_language"], params["target_language"])
    sent = Segments(pair, part["sources"], part["translations"], SideInformation.from_json(part))
    matrix = engine.features(sent, exact_set("asked", params["features"]))
    # What the model was trained on, without keeping the text.
    digest = hashlib.sha256(json.dumps(part, sort_keys=True).encode("ascii")).hexdigest()
    held = part.get("held_back") or [False] * len(part["labels"])
    carry = {"values": matrix.values.tolist(), "labels": part["labels"], "held": held, "sha256": digest}
    return {"rows": [], "carry": {**carry, "tasks": part.get("tasks", [])}}


@dataclass(frozen=True)
class _Sent:
    """What the chunks carried: rows to learn from, rows held back to compare versions on, and tasks of the rows, if any."""

    rows: TrainingSet
    held_back: TrainingSet
    tasks: list[str]


def _gather(params: Json, outputs: Iterable[Json], job: str) -> _Sent:
    carried = [each["carry"] for each in outputs]
    width = len(params["features"])
    values = np.array([row for each in carried for row in each["values"]], np.float64).reshape(-1, width)
    labels = np.array([value for each in carried for value in each["labels"]], np.float64)
    held: Bools = np.array([value for each in carried for value in each["held"]], np.bool_)
    tasks = [task for each in carried for task in each["tasks"]]
    digest = hashlib.sha256("".join(each["sha256"] for each in carried).encode("ascii")).hexdigest()
    whole = TrainingSet(values, labels, f"job {job}", digest)
    return _Sent(whole.select(np.flatnonzero(~held)), whole.select(np.flatnonzero(held), f"job {job}, held back"), tasks)


def finish_training(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    """Train, move the finished folder into `trained` in one step, and promote the model where the rule says so."""
    sent = _gather(params, outputs, job)
    if sent.tasks:
        return _train_tasks(params, sent, trained, job)
    base = engine.models[params["base"]] if params.get("base") else None
    pair = f"{params['source_language']}-{params['target_language']}"
    learner = "adapted" if params["method"] == "adapt" else parse_learner(params["learner"])[0]
    name = f"{pair}-{params['label']}-{learner}-{len(params['features'])}-{job}"
    if base is not None and params["method"] == "adapt":
        model, kept = adapt_model(base, sent.rows, "private", params["seed"], name, pair=pair), None
    else:
        model, kept = _retrain(engine, params, sent.rows, base, name, trained / curve_file(job))
    _save(model, kept, params, trained)
    answer: Json = {"model": name, "label": model.card.label, "version": model.card.version, "accuracy": dict(model.card.accuracy)}
    if params.get("curve"):
        answer["curve"] = read_curve(trained, job)
    if base is not None:
        answer["base"] = base.card.id
        answer["promotion"] = _promote(engine, base, model, sent.held_back, params["promote"] == "if-better")
    return answer


def _train_tasks(params: Json, sent: _Sent, trained: Path, job: str) -> Json:
    """One model per task, learned together."""
    cells = np.array(sent.tasks)
    pair = f"{params['source_language']}-{params['target_language']}"
    tasks = []
    for name in sorted(set(sent.tasks)):
        rows = sent.rows.select(np.flatnonzero(cells == name), f"job {job}, {name}")
        tasks.append(Task(name, pair, *split_held_out(rows, params["held_out_share"], params["seed"])))
    options = {"sharing": params["sharing"], "rank": params["rank"], "seed": params["seed"]}
    found = train_together(tasks, params["label"], params["feature_set"], params["features"], **options)
    answers = []
    for task, model in found.items():
        named = replace(model, card=replace(model.card, id=f"{model.card.id}-{job}"))
        _save(named, None, params, trained)
        answers.append({"task": task, "model": named.card.id, "accuracy": dict(named.card.accuracy)})
    return {"models": answers, "label": params["label"]}


def _retrain(
    engine: Engine, params: Json, rows: TrainingSet, base: Model | None, name: str, curve: Path
) -> tuple[Model, TrainingSet]:
    """A model of the rows that were sent, after those of the base where there is one; and all of these rows."""
    if base is not None:
        values, labels = engine.registry.rows(base).of(params["features"], params["label"])
        digest = hashlib.sha256(f"{base.checksum}{rows.checksum}".encode("ascii")).hexdigest()
        both = np.vstack([values, rows.values]), np.concatenate([labels, rows.labels])
        rows = TrainingSet(*both, f"{len(labels)} rows of {base.card.id}, {len(rows.labels)} of {rows.name}", digest)
    train, held_out = split_held_out(rows, params["held_out_share"], params["seed"])
    pair = f"{params['source_language']}-{params['target_language']}"

    def learn(part: TrainingSet) -> Model:
        return train_model(
            part,
            held_out,
            pair,
            params["label"],
            params["feature_set"],
            params["features"],
            params["learner"],
            "private",
            params["seed"],
            model_id=name,
            parent=base,
        )

    if params.get("curve"):
        draw_curve(curve, train, learn, params["seed"])
    model = learn(train)
    if params.get("curve"):
        add_point(curve, len(train.labels), model)
    return model, rows


def _save(model: Model, kept: TrainingSet | None, params: Json, trained: Path) -> None:
    def write(folder: Path) -> None:
        save_model(model, folder)
        if kept is not None:
            write_rows(folder / ROWS_FILE, KeptRows(tuple(params["features"]), kept.values, {params["label"]: kept.labels}))

    # A job that was killed after this step repeats it with the same outcome.
    LocalArtifacts(trained).save(model.card.id, write, replace=True)


def _promote(engine: Engine, base: Model, model: Model, held_back: TrainingSet, by_rule: bool) -> Json:
    """Compare with the version before on what neither has learned from; promote if asked, and significantly better."""
    n = len(held_back.labels)
    if base.card.pair != model.card.pair:
        return {"promoted": False, "held_back": n, "reason": "the base is of another language pair; promote the model by hand"}
    if n < FEWEST_HELD_BACK or float(np.ptp(held_back.labels)) == 0:
        return {"promoted": False, "held_back": n, "reason": f"{FEWEST_HELD_BACK} judgements that differ must have been held back"}
    old, new = (each.predict(held_back.values).mean for each in (base, model))
    p_value = williams_test(held_back.labels, new, old)
    before, after = _pearson(held_back.labels, old), _pearson(held_back.labels, new)
    better = after > before and p_value < SIGNIFICANT
    promoted = better and by_rule
    if promoted and engine.registry.promotions.current(base.card.pair, base.card.label) != model.card.id:
        reason = f"better than {base.card.id} on {n} judgements held back: Pearson {before:.3f} to {after:.3f}, p = {p_value:.3g}"
        engine.registry.promotions.promote(base.card.pair, base.card.label, model.card.id, reason)
    correlations = {"pearson_before": before, "pearson_after": after}
    return {"promoted": promoted, "held_back": n, "better": better, **correlations, "p_value": p_value}


def _pearson(gold: Float64s, predicted: Float64s) -> float:
    return float(pearsonr(gold, predicted).statistic) if float(np.ptp(predicted)) > 0 else 0.0
