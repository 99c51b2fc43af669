"""Steps of a round of active learning, and of a simulation."""

import hashlib
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NotRequired

import numpy as np
from typing_extensions import TypedDict

from app.errors import InputError
from app.features import exact_set, feature_set
from app.operations.features import computable
from app.operations.learn.request import LearnRequest
from app.operations.learn.session import EARLIER, Session, carried_session, keep_session, stored_session
from app.operations.operation import Context, Json, Output, Plan, Planning, cut
from app.operations.parts.about_models import Cautioned, label_kept, scale_kept
from app.operations.parts.fields import pair_of
from app.operations.parts.rounding import rounded
from app.operations.parts.segments import columns_of, segments_of, segments_of_chunk
from app.operations.select import SelectedSegment
from app.operations.train.bases import free_name
from app.operations.train.built_from import built_from_note, cautions_of_text, text_counts
from app.operations.train.promotion import Answering, pair_answered
from app.operations.train.scale import label_of
from app.operations.train.steps import save_trained, training_cautions
from app.predictors.training import FEWEST_ROWS, TrainingSet, split_held_out, train_model
from app.predictors.training.active import has_plateau, learn_round, next_batch, random_batch, standardised_pool
from app.predictors.training.active_simulation import Point, simulate
from app.text import LanguagePair

__all__ = ["LearnAnswer", "finish_learning", "split_learning", "work_learning"]

HELD_OUT_SHARE: Final = 0.2
LEARNER: Final = "gp|ard:no"


class RoundRow(TypedDict):
    """Estimated error after a number of labels."""

    labels: int
    error: float


class SimulatedRow(RoundRow):
    """Estimated error, and accuracy on held-out segments, after a number of labels."""

    pearson: float
    mae: float


class Simulation(TypedDict):
    """Rounds by worth and by chance; `stop` is the first plateau's number of labels, null without one."""

    worth: list[SimulatedRow]
    random: list[SimulatedRow]
    stop: int | None


class LearnAnswer(Answering, Cautioned):
    """A round: segments to label next, none at the end; the estimated `error` is in the unit of the labels.

    `job` is what the next round names as `after`, absent without a server. `plateau` says that the last rounds changed nothing.
    `model` is the predictor of a plateau or of `finish`.
    """

    job: NotRequired[str]
    label: str
    feature_set: str
    label_count: int
    remainder: int
    error: NotRequired[float]
    curve: list[RoundRow]
    plateau: bool
    segments: list[SelectedSegment]
    model: NotRequired[str]
    accuracy: NotRequired[Json]
    simulation: NotRequired[Simulation]


def split_learning(planning: Planning, request: LearnRequest) -> Plan:
    """Plan a round: its features, or the session of the round before with the new labels."""
    room = None if planning.stored is None else planning.stored.most_bytes
    params: Json = {**request.model_dump(exclude={"segments", "labels", "held_out", "scale"}), "stored_bytes": room, "inputs": {}}
    if request.name is not None and planning.engine.registry.is_taken(request.name):
        raise InputError("invalid-job", "a model of this name exists already; name another", ("name",))
    if request.after is not None:
        return _split_later(planning, request, params)
    pair, label = pair_of(request), label_of(request.label, request.scale)
    held_out_segments = request.held_out or []
    segments = segments_of(pair, [*request.segments, *held_out_segments])
    feature_ids, missing_ids = computable(planning.engine, pair, feature_set(request.feature_set), segments.evidence)
    labels = [*(row.label for row in request.segments), *(row.label for row in held_out_segments)]
    held_out = [False] * len(request.segments) + [True] * len(held_out_segments)
    columns = {**columns_of(segments), "labels": labels, "held_out": held_out}
    params |= {**scale_kept(label), "features": feature_ids, "left_out": missing_ids}
    return Plan("learn", params, cut(columns, planning.chunk_rows))


def _split_later(planning: Planning, request: LearnRequest, params: Json) -> Plan:
    session, file, record = stored_session(planning, str(request.after))
    if (session.pair, session.label) != (str(pair_of(request)), request.label):
        raise InputError("invalid-job", f"this session is of {session.label} for {session.pair}", ("label",))
    params |= {"feature_set": session.feature_set, "features": session.features, "left_out": session.left_out}
    params |= {"start": session.start, "seed": session.seed, "inputs": {EARLIER: record}}
    if session.scale is not None:
        params["scale"] = session.scale
    label = label_kept(params)
    for row, entry in enumerate(request.labels):
        if entry.segment > len(session.sources):
            detail = f"the pool has {len(session.sources)} segments"
            raise InputError("invalid-training-data", detail, ("labels", row, "segment"))
        if (misfit := label.misfit(entry.label)) is not None:
            raise InputError("invalid-training-data", misfit, ("labels", row, "label"))
    numbers = [entry.segment for entry in request.labels]
    chunk = {
        "sources": [session.sources[number - 1] for number in numbers],
        "segments": numbers,
        "new_labels": [entry.label for entry in request.labels],
    }
    return Plan("learn", params, [(len(numbers), chunk)], {record["role"]: file})


def work_learning(context: Context, chunk: Json) -> Output:
    """Features of some segments of a first round, or the new labels of a later one."""
    if "segments" in chunk:
        return {"rows": [], "carry": {"segments": chunk["segments"], "labels": chunk["new_labels"]}}
    features = exact_set("asked", context.params["features"])
    matrix = context.engine.features(segments_of_chunk(context.params, chunk), features)
    names = ("sources", "translations", "labels", "held_out")
    return {"rows": [], "carry": {"values": matrix.values.tolist(), **{name: chunk[name] for name in names}}}


def _session(context: Context, outputs: Iterable[Output]) -> Session:
    if context.params["after"] is None:
        return Session.of_outputs(context.params, outputs)
    session = carried_session(context)
    labels = list(session.labels)
    for output in outputs:
        for number, value in zip(output["carry"]["segments"], output["carry"]["labels"], strict=True):
            labels[number - 1] = value
    return replace(session, labels=labels)


def finish_learning(context: Context, outputs: Iterable[Output]) -> LearnAnswer:
    """Learn the labels so far, and choose the next segments or train a predictor; keep the session for the next round."""
    params = context.params
    if params["simulate"]:
        return _simulate(context, list(outputs))
    session = _session(context, outputs)
    # Before anything can fail, so that a failed round loses no label.
    keep_session(context, session)
    mask, count = session.label_mask, int(session.label_mask.sum())
    answer: LearnAnswer = {
        "label": session.label, "feature_set": session.feature_set, "label_count": count, "remainder": len(mask) - count,
        "curve": [], "plateau": False, "segments": [],
    }  # fmt: skip
    if context.job:
        answer["job"] = context.job
    if count < params["start"] and not params["finish"]:
        rows = random_batch(mask, params["start"] - count, session.seed)
        return {**answer, "curve": _curve(session), "segments": _selected(session, rows, np.zeros(len(rows)))}
    least_count = next(labels for labels in itertools.count() if _can_train(labels, session))
    if count < least_count and params["finish"]:
        raise InputError("invalid-training-data", f"a predictor needs {least_count} labels; there are {count} so far", ("labels",))
    if count < least_count and mask.all():
        answer["cautions"] = [f"all segments of the pool have labels, and a predictor needs {least_count}"]
    x, _, _ = standardised_pool(session.matrix)
    context.report("learning", 0.0)
    state = learn_round(x, session.known_labels, mask, session.seed, context)
    earlier = [point for point in session.curve if point["labels"] < count]
    session = replace(session, curve=[*earlier, {"labels": count, "error": state.error}])
    errors = [point["error"] for point in session.curve]
    plateau = _is_end(count, errors, session, params)
    answer |= {"error": rounded(state.error), "curve": _curve(session), "plateau": plateau}
    if plateau or params["finish"] or (mask.all() and _can_train(count, session)):
        answer |= _train(context, session)
    else:
        answer["segments"] = _selected(session, *next_batch(state, mask, params["batch"], params["beta"]))
    keep_session(context, session)
    return answer


def _can_train(labels: int, session: Session) -> bool:
    """Return True if a predictor can learn from so many labels: it is calibrated on a part of them."""
    held_out = round(HELD_OUT_SHARE * labels)
    return held_out >= FEWEST_ROWS and labels - held_out >= len(session.features) + 2


def _is_end(labels: int, errors: Sequence[float], session: Session, params: Json) -> bool:
    """Return True if the errors up to so many labels have a plateau, and a predictor can learn from the labels."""
    return _can_train(labels, session) and has_plateau(errors, params["window"], params["tolerance"])


def _curve(session: Session) -> list[RoundRow]:
    return [{"labels": point["labels"], "error": rounded(point["error"])} for point in session.curve]


def _simulated(point: Point) -> SimulatedRow:
    return {
        "labels": point.labels, "error": rounded(point.error), "pearson": rounded(point.pearson), "mae": rounded(point.mae),
    }  # fmt: skip


def _selected(session: Session, rows: Any, worth: Any) -> list[SelectedSegment]:
    return [
        {"segment": row + 1, "worth": rounded(value), "source": session.sources[row], "translation": session.translations[row]}
        for row, value in zip(rows.tolist(), worth.tolist(), strict=True)
    ]


def _train(context: Context, session: Session) -> Any:
    """Train a predictor on all labels, and save it."""
    params, mask = context.params, session.label_mask
    values, labels = session.matrix[mask], session.known_labels[mask]
    digest = hashlib.sha256(json.dumps([values.tolist(), labels.tolist()]).encode("ascii")).hexdigest()
    sources = [session.sources[k] for k in np.flatnonzero(mask).tolist()]
    text = text_counts(context, LanguagePair.parse(session.pair), sources)
    rows = TrainingSet(values, labels, f"job {context.job}, active learning" if context.job else "active learning", digest)
    rows = replace(rows, note=f"{rows.note}{built_from_note(text)}")
    train, held_out = split_held_out(rows, HELD_OUT_SHARE, session.seed)
    default_name = f"{session.pair}-{session.label}-active-{len(session.features)}"
    name = params["name"] or free_name(context, default_name)
    model = train_model(
        train, held_out, session.pair, label_kept(params), session.feature_set, session.features, LEARNER,
        params["licence"], session.seed, model_id=name, journal=context,
    )  # fmt: skip
    save_trained(context, model, rows)
    answer: Json = {"model": name, "accuracy": dict(model.card.accuracy), **pair_answered(context.engine, model)}
    if cautions := training_cautions(context, [name], cautions_of_text(text)):
        answer["cautions"] = cautions
    return answer


def _simulate(context: Context, outputs: list[Output]) -> LearnAnswer:
    """Run all rounds with known labels, by worth and at random."""
    params = context.params
    test_mask = np.array([flag for output in outputs for flag in output["carry"]["held_out"]], np.bool_)
    session = Session.of_outputs(params, outputs)
    rows = TrainingSet(session.matrix, session.known_labels, "pool", "0" * 64)
    if test_mask.any():
        pool, held_out = rows.select(np.flatnonzero(~test_mask)), rows.select(np.flatnonzero(test_mask), "held_out")
    else:
        pool, held_out = split_held_out(rows, HELD_OUT_SHARE, params["seed"])
    held_out.check(len(session.features), 2)
    limit, runs = min(params["limit"], len(pool.labels)), []
    for number, beta in enumerate((params["beta"], None)):

        def report(labels: int, number: int = number) -> None:
            context.report("simulating", (number + labels / limit) / 2)

        runs.append(simulate(pool, held_out, beta, params["start"], params["batch"], limit, params["seed"], context, report))
    errors = [point.error for point in runs[0]]
    stops = (k for k, point in enumerate(runs[0]) if _is_end(point.labels, errors[: k + 1], session, params))
    stop = next(stops, None)
    worth, random = ([_simulated(point) for point in run] for run in runs)
    answer: LearnAnswer = {
        "label": session.label, "feature_set": session.feature_set, "label_count": len(pool.labels), "remainder": 0, "curve": [],
        "plateau": stop is not None, "segments": [],
        "simulation": {"worth": worth, "random": random, "stop": None if stop is None else runs[0][stop].labels},
    }  # fmt: skip
    text = text_counts(context, LanguagePair.parse(session.pair), session.sources)
    if cautions := training_cautions(context, [], cautions_of_text(text)):
        answer["cautions"] = cautions
    return answer
