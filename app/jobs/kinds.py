"""What each kind of job does: cut its input into chunks, work on one, and sum up.

Outputs are ``{"rows": [...], "carry": ...}``: rows go into the result, what is carried only into the
summary. Everything that could change between two runs (the model chosen) is fixed when a job is planned.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from app.answers import (
    model_summary,
    quality_rows,
    rank_rows,
    selection_answer,
    standing_rows,
    statistics_answer,
    word_rows,
    word_tagger_summary,
)
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.features import CATALOGUE, Level, exact_set, feature_set
from app.jobs.training import finish_training, train_chunk
from app.metrics import Significance, segment_statistics
from app.model_answers import evaluation_answer, explanation_answer
from app.planning.totals import document_answer
from app.predictors import evaluate_uncertainty
from app.predictors.active_learning import select_segments
from app.ranking import rank_systems
from app.text import LanguagePair
from app.text.side_information import SideInformation, kinds_in

__all__ = ["KINDS", "JobPlan", "Kind", "plan_job", "plan_stream"]

Json = dict[str, Any]


@dataclass(frozen=True)
class JobPlan:
    """A job ready to be queued: small `params`, chunks with their number of rows, read once, and the files it came in."""

    kind: str
    params: Json
    chunks: Iterable[tuple[int, Json]]
    files: Mapping[str, BinaryIO] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """The three steps of one kind. `finish` gets params, all outputs, the engine and the folder of trained models."""

    description: str
    fix: Callable[[Engine, Json, Mapping[str, Sequence[Any]]], Json]
    chunk: Callable[[Engine, Json, Json], Json]
    finish: Callable[[Engine, Json, Iterable[Json], Path, str], Json]


def plan_job(engine: Engine, kind: str, params: Json, columns: Mapping[str, Any], chunk_rows: int) -> JobPlan:
    """Plan a job. `columns` are lists of equal length (or named lists of them), one entry per segment."""
    flat = {key: value for key, value in columns.items() if value is not None}
    total = len(next(iter(_lists(flat)), ()))
    if total == 0:
        raise InputError("empty-input", "a job needs at least one segment", ("segments",))
    fixed = KINDS[kind].fix(engine, params, flat)
    chunks = [
        (min(chunk_rows, total - begin), {key: _slice(value, begin, begin + chunk_rows) for key, value in flat.items()})
        for begin in range(0, total, chunk_rows)
    ]
    return JobPlan(kind, fixed, chunks)


def plan_stream(
    engine: Engine, kind: str, params: Json, sent: Mapping[str, Sequence[Any]], chunks: Iterable[tuple[int, Json]]
) -> JobPlan:
    """Plan a job whose chunks are made while it is stored; `sent` names the columns beside the texts."""
    return JobPlan(kind, KINDS[kind].fix(engine, params, sent), chunks)


def _lists(columns: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    for value in columns.values():
        if isinstance(value, dict):
            yield from value.values()
        else:
            yield value


def _slice(value: Any, begin: int, end: int) -> Any:
    if isinstance(value, dict):
        return {name: part[begin:end] for name, part in value.items()}
    return value[begin:end]


def _pair(params: Json) -> LanguagePair:
    return LanguagePair(params["source_language"], params["target_language"])


def _sent(params: Json, part: Mapping[str, Any]) -> Segments:
    return Segments(_pair(params), part["sources"], part["translations"], SideInformation.from_json(part))


def _fix_model(engine: Engine, params: Json, columns: Mapping[str, Sequence[Any]]) -> Json:
    if params.get("level") == "word":
        tagger = engine.word_tagger_for(_pair(params), params.get("model"), kinds_in(columns))
        return {**params, **word_tagger_summary(tagger)}
    model = engine.model_for(_pair(params), params.get("model"), params.get("label"), kinds_in(columns))
    return {**params, **model_summary(model)}


def _quality_chunk(engine: Engine, params: Json, part: Json) -> Json:
    if params.get("level") == "word":
        tagged = word_rows(engine.word_tags(_sent(params, part), params["model"]))
        return {"rows": [{**_texts(part, i), **row} for i, row in enumerate(tagged)]}
    answer = engine.quality(_sent(params, part), params["model"], options=Options.of(params))
    return {"rows": [{**_texts(part, i), **row} for i, row in enumerate(quality_rows(answer))]}


def _texts(part: Json, i: int) -> Json:
    return {"source": part["sources"][i], "translation": part["translations"][i]}


def _quality_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    if params.get("level") == "word":
        return {key: params[key] for key in ("model", "level", "mcc", "gap_mcc")}
    o = Options.of(params)
    return {
        **_model_of(params),
        "source_language": params["source_language"],
        "target_language": params["target_language"],
        "interval": params["interval"],
        **({"explanation": explanation_answer(engine.models[params["model"]])} if params.get("explain") else {}),
        "document": document_answer(
            (row for each in outputs for row in each["rows"]), o.bands, o.warnings, o.at_worst, o.error_rate
        ),
    }


def _model_of(params: Json) -> Json:
    return {key: params[key] for key in ("model", "label", "unit", "direction")}


def _fix_features(engine: Engine, params: Json, columns: Mapping[str, Sequence[Any]]) -> Json:
    asked = params.get("features")
    wanted = feature_set(params["feature_set"]) if asked is None else exact_set("asked", asked)
    if wanted.level is not Level.SENTENCE:
        raise InputError("invalid-job", "a job works on parts of a document; use POST /v1/features", ("params", "feature_set"))
    kept = {feature.id for feature in engine.check_feature_set(_pair(params), wanted, kinds_in(columns))}
    ids = [feature.id for feature in wanted.features]
    if params.get("base") and len(kept) < len(ids):
        missing = next(name for name in ids if name not in kept)
        detail = f"the base's feature {missing} cannot be computed from what is loaded and sent"
        raise InputError("missing-evidence", detail, ("base",))
    return {**params, "features": [name for name in ids if name in kept], "left_out": [name for name in ids if name not in kept]}


def _features_chunk(engine: Engine, params: Json, part: Json) -> Json:
    matrix = engine.features(_sent(params, part), exact_set("asked", params["features"]))
    names = [feature.id for feature in matrix.features]
    rows = [dict(zip(names, map(float, row), strict=True)) for row in matrix.values]
    return {"rows": [{**_texts(part, i), "features": row} for i, row in enumerate(rows)]}


def _features_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    names = [{"id": each, "name": CATALOGUE[each].name} for each in params["features"]]
    return {"feature_set": params["feature_set"], "features": names, "left_out": params["left_out"]}


def _fix_rank(engine: Engine, params: Json, columns: Mapping[str, Sequence[Any]]) -> Json:
    return {**params, **model_summary(engine.model_for(_pair(params), params.get("model"), params.get("label"), frozenset()))}


def _rank_chunk(engine: Engine, params: Json, part: Json) -> Json:
    candidates = part["candidates"]
    chosen, scores, stds = engine.candidate_scores(_pair(params), part["sources"], candidates, params["model"])
    names = [list(row) for row in candidates]
    ranking = rank_systems(names, scores, stds, chosen.label.higher_is_better)
    rows = [
        {"source": source, **row, "texts": texts}
        for source, row, texts in zip(part["sources"], rank_rows(ranking.segments), candidates, strict=True)
    ]
    return {"rows": rows, "carry": {"names": names, "scores": scores.tolist(), "stds": stds.tolist()}}


def _rank_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    carried = [each["carry"] for each in outputs]
    names = [row for each in carried for row in each["names"]]
    scores = np.array([value for each in carried for value in each["scores"]], np.float64)
    stds = np.array([value for each in carried for value in each["stds"]], np.float64)
    ranking = rank_systems(names, scores, stds, params["direction"] == "higher is better")
    return {**_model_of(params), "systems": standing_rows(ranking)}


def _fix_score(engine: Engine, params: Json, columns: Mapping[str, Sequence[Any]]) -> Json:
    for place, metric in enumerate(engine.metrics(params["metrics"]).values()):
        if metric.needs_all_references:
            raise InputError(
                "invalid-job",
                f"{metric.name} weighs matches by the whole reference corpus, and a job works on parts of it; use POST /v1/score",
                ("params", "metrics", place),
            )
    return params


def _score_chunk(engine: Engine, params: Json, part: Json) -> Json:
    statistics = segment_statistics(engine.metrics(params["metrics"]), part["systems"], part["references"])
    return {"rows": [], "carry": [{name: rows.tolist() for name, rows in each.items()} for each in statistics]}


def _score_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    gathered: list[dict[str, list[Any]]] = [{} for _ in params["metrics"]]
    for output in outputs:
        for together, part in zip(gathered, output["carry"], strict=True):
            for name, rows in part.items():
                together.setdefault(name, []).extend(rows)
    statistics = [{name: np.array(rows, np.float64) for name, rows in each.items()} for each in gathered]
    wanted = params.get("significance")
    significance = Significance(**wanted) if wanted else None
    metrics = engine.metrics(params["metrics"])
    answer = statistics_answer(metrics, statistics, params["reference_count"], params.get("segments", False), significance)
    return {**answer, "empty": params["empty"]}


def _evaluate_chunk(engine: Engine, params: Json, part: Json) -> Json:
    answer = engine.quality(_sent(params, part), params["model"])
    rows = [{**_texts(part, i), "label": part["labels"][i], **row} for i, row in enumerate(quality_rows(answer))]
    p = answer.prediction
    return {"rows": rows, "carry": {"gold": part["labels"], "predicted": p.mean.tolist(), "std": p.std.tolist()}}


def _evaluate_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    carried: dict[str, list[float]] = {"gold": [], "predicted": [], "std": []}
    for output in outputs:
        for name, values in carried.items():
            values += output["carry"][name]
    gold, mean, std = (np.array(values, np.float64) for values in carried.values())
    model = engine.models[params["model"]]
    found = evaluate_uncertainty(gold, lambda coverage: model.interval(mean, std, coverage), model.label.higher_is_better)
    return evaluation_answer(model, found)


def _select_chunk(engine: Engine, params: Json, part: Json) -> Json:
    values = engine.model_features(_sent(params, part), params["model"])
    return {"rows": [], "carry": {"values": values.tolist(), "sources": part["sources"], "translations": part["translations"]}}


def _select_finish(engine: Engine, params: Json, outputs: Iterable[Json], trained: Path, job: str) -> Json:
    carried: dict[str, list[Any]] = {"values": [], "sources": [], "translations": []}
    for output in outputs:
        for name, values in carried.items():
            values += output["carry"][name]
    model = engine.models[params["model"]]
    rows, worth = select_segments(model, np.array(carried["values"], np.float64), params["count"], params["strategy"])
    return selection_answer(model, rows, worth, carried["sources"], carried["translations"])


KINDS: Final[Mapping[str, Kind]] = {
    "quality": Kind("Predict the quality of segments", _fix_model, _quality_chunk, _quality_finish),
    "features": Kind("Compute features of segments", _fix_features, _features_chunk, _features_finish),
    "score": Kind("Score systems against references", _fix_score, _score_chunk, _score_finish),
    "rank": Kind("Rank the translations of each source", _fix_rank, _rank_chunk, _rank_finish),
    "train": Kind("Train a predictor on labelled segments", _fix_features, train_chunk, finish_training),
    "select": Kind("Choose the segments of a pool that are worth annotating next", _fix_model, _select_chunk, _select_finish),
    "evaluate": Kind("Measure a predictor on labelled segments", _fix_model, _evaluate_chunk, _evaluate_finish),
}
