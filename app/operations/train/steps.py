"""Features in chunks, then one training, then a folder that appears at once.

With a `base` it makes that model's next version, from the base's own rows and what was sent (``retrain``), or by correcting the
base (``adapt``).
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NotRequired

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.features import exact_set
from app.operations.documents.grouping import DOCUMENTS
from app.operations.operation import Context, Json, Output
from app.operations.parts.about_models import Cautioned, label_kept
from app.operations.parts.segments import segments_of_chunk
from app.operations.train.bases import base_cautions, free_name
from app.operations.train.built_from import SOURCE_COUNTS, built_from_note, cautions_of_text, count_built_from
from app.operations.train.document_rows import document_groups, document_rows
from app.operations.train.feedback_rows import FEEDBACK_IDS, LearntFeedback, feedback_answer
from app.operations.train.held_out import check_held_out
from app.operations.train.promotion import Answering, pair_answered, promote_if_better
from app.predictors import Model, save_model
from app.predictors.learners import CORRECTION, parse_learner
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.predictors.training.multi_task import LearningTask, train_apart, train_together
from app.registry.provenance import files_used, licence_cautions, licences_used
from app.registry.rows import ROWS_FILE, TrainingRows, write_rows
from app.text import LanguagePair

__all__ = ["TrainAnswer", "TrainedTasks", "finish_training", "save_trained", "training_cautions", "work_training"]

# Parts of the rows that a learning curve is measured on before all of them; fewer rows than this are not worth a point.
CURVE_PARTS: Final = (0.05, 0.1, 0.2, 0.4, 0.7)
FEWEST_OF_CURVE: Final = 40
CURVE_MEASURES: Final = ("pearson", "mae")
# Under which a job notes the name that it gives its model.
CLAIM_KEY: Final = "claimed"


class TrainAnswer(Answering, Cautioned):
    """The model that was trained; `promotion` says how it compares with its base, and whether it answers now.

    `feedback` is present for a training with feedback. `cautions` appear if many labelled sources are in the text of the loaded
    resources, or if the licence of a checkpoint forbids commercial use.
    """

    model: str
    label: str
    version: int
    accuracy: Json
    curve: NotRequired[list[Json]]
    feedback: NotRequired[LearntFeedback]
    base: NotRequired[str]
    promotion: NotRequired[Json]


class TrainedTask(Answering):
    """The model of one task."""

    task: str
    model: str
    accuracy: Json


class TrainedTasks(Cautioned):
    """The models of tasks that were learned together."""

    models: list[TrainedTask]
    label: str


def work_training(context: Context, chunk: Json) -> Output:
    """Features and labels of some segments."""
    segments = segments_of_chunk({**context.params, **chunk}, chunk)
    features = exact_set("asked", context.params["features"])
    # Hash of the training rows without their text; judgements have other ids on other servers.
    content = {name: values for name, values in chunk.items() if name != FEEDBACK_IDS}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
    if DOCUMENTS in chunk:
        return {"rows": [], "carry": {**document_rows(context, segments, chunk), "sha256": digest}}
    matrix = context.engine.features(segments, features)
    rows = len(chunk["labels"])
    tasks = [str(segments.pair)] * rows if "pairs" in context.params else chunk.get("tasks", [])
    return {
        "rows": [],
        "carry": {
            "values": matrix.values.tolist(),
            "labels": chunk["labels"],
            "held": chunk.get("held_back") or [False] * rows,
            "held_out": chunk.get("held_out") or [False] * rows,
            "sha256": digest,
            "feedback": chunk.get(FEEDBACK_IDS) or [None] * rows,
            "tasks": tasks,
            "pair": str(segments.pair),
            SOURCE_COUNTS: count_built_from(context, segments.pair, segments.sources),
        },
    }


@dataclass(frozen=True)
class _TrainingRows:
    """Rows carried by the chunks: rows to learn from, rows held out by the request, and rows held back for comparisons.

    `feedback` are the ids of the judgements among the rows to learn from. `tasks` and `pairs` are those of the rows to learn from;
    without tasks, `tasks` is empty. `cautions` are about the text that the rows are of. `groups` are those of documents to learn
    from, None for segments.
    """

    rows: TrainingSet
    held_out: TrainingSet
    held_back: TrainingSet
    feedback: list[str]
    tasks: list[str]
    pairs: dict[str, str]
    cautions: list[str]
    groups: Int64s | None = None


def _gather(context: Context, outputs: Iterable[Output]) -> _TrainingRows:
    carry_rows = [output["carry"] for output in outputs]
    width = len(context.params["features"])
    values = np.array([row for part in carry_rows for row in part["values"]], np.float64).reshape(-1, width)
    labels = np.array([value for part in carry_rows for value in part["labels"]], np.float64)
    held_back = _flags(carry_rows, "held")
    held_out = _flags(carry_rows, "held_out")
    tasks = [task for part in carry_rows for task in part["tasks"]]
    pairs = {task: part.get("pair", "") for part in carry_rows for task in part["tasks"]}
    keys = [row for part in carry_rows for row in part.get("shared", ())]
    groups = document_groups(keys) if context.params.get("documents") else None
    digest = hashlib.sha256("".join(part["sha256"] for part in carry_rows).encode("ascii")).hexdigest()
    name = context.params.get("data_name") or f"job {context.job}"
    training_set = TrainingSet(values, labels, name, digest)
    training_set = replace(training_set, note=f"{training_set.note}{built_from_note(carry_rows)}")
    return _TrainingRows(
        training_set.select(np.flatnonzero(~held_back & ~held_out)),
        training_set.select(np.flatnonzero(held_out), context.params.get("held_out_name") or f"{name}, held out"),
        training_set.select(np.flatnonzero(held_back), f"{name}, held back"),
        [id for id, is_held in zip(_feedback(carry_rows), held_back.tolist(), strict=True) if id is not None and not is_held],
        tasks,
        pairs,
        cautions_of_text(carry_rows),
        None if groups is None else groups[~held_out],
    )


def _feedback(carry_rows: list[Any]) -> list[str | None]:
    """The judgement that each row is; jobs that an older version planned do not say."""
    return [id for part in carry_rows for id in part.get("feedback") or [None] * len(part["labels"])]


def _flags(carry_rows: list[Any], name: str) -> Bools:
    flags = [flag for part in carry_rows for flag in part.get(name) or [False] * len(part["labels"])]
    return np.array(flags, np.bool_)


def finish_training(context: Context, outputs: Iterable[Output]) -> TrainAnswer | TrainedTasks:
    """Train, keep the finished folder in one step, and promote the model where the rule says so."""
    params, collection = context.params, _gather(context, outputs)
    if collection.tasks:
        return _train_tasks(context, collection)
    base = context.engine.models[params["base"]] if params.get("base") else None
    name = params.get("name") or _model_name(context)
    pair = f"{params['source_language']}-{params['target_language']}"
    if base is not None and params["method"] == "adapt":
        model = adapt_model(base, collection.rows, _licence(params), params["seed"], name, pair=pair, journal=context)
        curve, rows = None, None
    else:
        model, rows, curve = _retrain(context, collection, base, name)
    context.learns_from(name, collection.feedback)
    save_trained(context, model, rows)
    answer: TrainAnswer = {
        "model": name,
        "label": model.card.label,
        "version": model.card.version,
        "accuracy": dict(model.card.accuracy),
    }
    if cautions := [*training_cautions(context, [name], collection.cautions), *base_cautions(context, model)]:
        answer["cautions"] = cautions
    if params.get("curve"):
        answer["curve"] = curve or []
    if params.get("feedback"):
        answer["feedback"] = feedback_answer(len(collection.feedback), len(collection.held_back.labels), params)
    if base is not None:
        answer["base"] = base.card.id
        by_rule = params["promote"] == "if-better"
        answer["promotion"] = promote_if_better(context.engine.registry, base, model, collection.held_back, by_rule)
    return {**answer, **pair_answered(context.engine, model)}


def _licence(params: Json) -> str:
    return str(params.get("licence", "private"))


def _model_name(context: Context) -> str:
    params = context.params
    learner = CORRECTION if params["method"] == "adapt" else parse_learner(params["learner"])[0]
    label = f"{params['label']}-documents" if params.get("documents") else params["label"]
    name = f"{params['source_language']}-{params['target_language']}-{label}-{learner}-{len(params['features'])}"
    return free_name(context, name)


def _train_tasks(context: Context, collection: _TrainingRows) -> TrainedTasks:
    """One model per task, learned together by a Gaussian process, or apart by another learner."""
    params, cells = context.params, np.array(collection.tasks)
    pair = f"{params['source_language']}-{params['target_language']}"
    tasks = []
    for name in params.get("pairs") or sorted(set(collection.tasks)):
        rows = collection.rows.select(np.flatnonzero(cells == name), f"{collection.rows.name}, {name}")
        parts = split_held_out(rows, params["held_out_share"], params["seed"])
        tasks.append(LearningTask(name, collection.pairs[name] or pair, *parts))
    about = (tasks, label_kept(params), params["feature_set"], params["features"])
    licence, seed = _licence(params), params["seed"]
    if parse_learner(params["learner"])[0] == "gp":
        models = train_together(*about, sharing=params["sharing"], rank=params["rank"], licence=licence, seed=seed, journal=context)
    else:
        models = train_apart(*about, params["learner"], licence=licence, seed=seed, journal=context)
    named_models: dict[str, Model] = {}
    for task, model in models.items():
        name = free_name(context, model.card.id)
        named_models[task] = replace(model, card=replace(model.card, id=name))
        save_trained(context, named_models[task], None)
    answers: list[TrainedTask] = [
        {"task": task, "model": model.card.id, "accuracy": dict(model.card.accuracy), **pair_answered(context.engine, model)}
        for task, model in named_models.items()
    ]
    answer: TrainedTasks = {"models": answers, "label": params["label"]}
    if cautions := training_cautions(context, [row["model"] for row in answers], collection.cautions):
        answer["cautions"] = cautions
    return answer


def training_cautions(context: Context, models: Iterable[str], about_text: Sequence[str]) -> list[str]:
    """Cautions of a training: about licences of checkpoints under each model, then those of the labelled text."""
    licences = licences_used(context.params["features"], context.engine.resources.checkpoints)
    return [*(caution for name in models for caution in licence_cautions(name, licences)), *about_text]


def _retrain(
    context: Context, collection: _TrainingRows, base: Model | None, name: str
) -> tuple[Model, TrainingSet, list[Json] | None]:
    """A model of the rows that were sent, after those of the base where there is one; all of these rows; and the curve."""
    params, rows, groups = context.params, collection.rows, collection.groups
    if base is not None:
        rows = _after_base(context, base, rows)
        # Texts of the base's rows are not known.
        groups = None if groups is None else np.concatenate([-1 - np.arange(len(rows.labels) - len(groups)), groups])
    if len(collection.held_out.labels):
        train, held_out, field = rows, collection.held_out, "held_out"
    else:
        train, held_out = split_held_out(rows, params["held_out_share"], params["seed"], groups)
        field = "held_out_share"
    check_held_out(train, held_out, field, documents=groups is not None, has_base=base is not None)
    pair = f"{params['source_language']}-{params['target_language']}"

    def learn(part: TrainingSet) -> Model:
        return train_model(
            part,
            held_out,
            pair,
            label_kept(params),
            params["feature_set"],
            params["features"],
            params["learner"],
            _licence(params),
            params["seed"],
            model_id=name,
            parent=base,
            journal=context,
        )

    if not params.get("curve"):
        return learn(train), rows, None
    curve: list[Json] = []
    order = np.random.default_rng(params["seed"]).permutation(len(train.labels))
    sizes = [size for size in (round(share * len(order)) for share in CURVE_PARTS) if size >= FEWEST_OF_CURVE]
    for size in sizes:
        # A part may have too few rows for its features, or equal labels, where all rows have not.
        with suppress(InputError):
            # Each part holds the one before it.
            _add_point(context, curve, size, learn(train.select(np.sort(order[:size]))))
    model = learn(train)
    _add_point(context, curve, len(train.labels), model)
    return model, rows, curve


def _add_point(context: Context, curve: list[Json], rows: int, model: Model) -> None:
    curve.append({"rows": rows, **{name: round(float(model.card.accuracy[name]), 6) for name in CURVE_MEASURES}})
    # A worker that continues after a killed one measures these points again.
    if len(curve) > len(context.published("curve") or []):
        context.publish("curve", curve)


def _after_base(context: Context, base: Model, rows: TrainingSet) -> TrainingSet:
    values, labels = context.engine.registry.rows(base).of(context.params["features"], context.params["label"])
    digest = hashlib.sha256(f"{base.checksum}{rows.checksum}".encode("ascii")).hexdigest()
    all_rows: tuple[Float64s, Float64s] = np.vstack([values, rows.values]), np.concatenate([labels, rows.labels])
    return TrainingSet(*all_rows, f"{len(labels)} rows of {base.card.id}, {len(rows.labels)} of {rows.name}", digest, rows.note)


def save_trained(context: Context, model: Model, rows: TrainingSet | None) -> None:
    """Keep the model, with its rows where the next version is to learn from them too."""

    pair_resources = context.engine.pair_resources(LanguagePair.parse(model.card.pair))
    resources = files_used(model.card.features, pair_resources, context.engine.registry)
    licences = licences_used(model.card.features, context.engine.resources.checkpoints)
    card = replace(model.card, resources=resources, licences=licences, documents=context.params.get("documents"))
    recorded_model = replace(model, card=card)

    def write(folder: Path) -> None:
        save_model(recorded_model, folder)
        if rows is not None:
            features, label = tuple(context.params["features"]), context.params["label"]
            write_rows(folder / ROWS_FILE, TrainingRows(features, rows.values, {label: rows.labels}))

    _claim(context, model.card.id)
    # A step that was killed behind this point repeats it with the same outcome.
    context.artifacts.save(model.card.id, write, replace=True)


def _claim(context: Context, name: str) -> None:
    """InputError where a name that was asked for went to something else while the job waited; others hold the job's id."""
    if not context.job or not context.params.get("name") or context.published(CLAIM_KEY) == name:
        return
    if context.engine.registry.is_taken(name):
        raise InputError("invalid-job", "this name was given away since the job was queued; name another", ("name",))
    context.publish(CLAIM_KEY, name)
