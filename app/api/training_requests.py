"""Parameters of `train` jobs, and the rows they get: those that were sent, and feedback."""

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat

from app.api.checking import check_count
from app.api.quality_schemas import Segment
from app.api.schemas import Body, Label, Language, ModelId
from app.engine import Engine
from app.errors import InputError
from app.features import exact_set
from app.predictors import Model
from app.predictors.gaussian.tasks import TASK_SHARING
from app.predictors.labels import Label as LabelKind
from app.predictors.labels import label_named
from app.predictors.learners import ADAPTED, parse_learner
from app.settings import Settings
from app.store.feedback import FeedbackStore
from app.text import LanguagePair
from app.text.side_information import KINDS, Kind, kinds_in

__all__ = ["LabelledSegment", "TrainRequest", "check_labels", "training_columns", "training_params"]

Json = dict[str, Any]
# From so many rows on, learning anew does as well as a correction (docs/predictors.md).
ROWS_TO_RETRAIN = 1000
MOST_TASKS = 20


TaskName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$", description="Annotator, system or domain")]
Promote = Annotated[
    Literal["by-hand", "if-better"], Field(description="if-better: as soon as a new version is significantly better")
]


class LabelledSegment(Segment):
    """A pair with its quality label."""

    label: FiniteFloat
    task: TaskName | None = None


class TrainRequest(Body):
    """Parameters of a `train` job. `held_out_share` of the rows choose and calibrate the model.

    With `base`, the job makes that model's next version: `retrain` learns from the base's rows and the new ones, `adapt`
    corrects the base by the new ones alone, which may be of another language pair; `auto` adapts by fewer than 1,000 rows.
    `feedback` adds what POST /v1/feedback has collected. With a `task` in every segment, one Gaussian process learns all tasks
    together, by how they share (`sharing`, `rank`), and each becomes a model.
    """

    source_language: Language
    target_language: Language
    label: Label
    feature_set: Annotated[str, Field(max_length=100)] | None = None
    learner: Annotated[str, Field(max_length=200)] | None = None
    base: ModelId | None = None
    method: Literal["auto", "retrain", "adapt"] = "auto"
    feedback: bool = False
    promote: Promote = "by-hand"
    sharing: Annotated[str, Field(max_length=20)] = "combined"
    rank: Annotated[int, Field(ge=1, le=10)] = 1
    held_out_share: Annotated[FiniteFloat, Field(ge=0.05, le=0.5)] = 0.2
    seed: Annotated[int, Field(ge=0, le=2**31)] = 12345
    curve: Annotated[bool, Field(description="Measure how accuracy grows with rows, which doubles the time")] = False
    segments: list[LabelledSegment] = Field(default_factory=list)


def check_labels(kind: LabelKind, values: list[float], *where: str | int) -> None:
    """InputError with the place of the first value outside the label's range."""
    low = -float("inf") if kind.lowest is None else kind.lowest
    high = float("inf") if kind.highest is None else kind.highest
    for number, value in enumerate(values):
        if not low <= value <= high:
            accepted = f"{kind.name} is from {low:g} to {high:g}" if kind.highest is not None else f"{kind.name} is {low:g} or more"
            raise InputError("invalid-training-data", accepted, (*where, number, "label"))


def training_params(body: TrainRequest, engine: Engine, columns: Json) -> Json:
    """The parameters with everything fixed that a base fixes; InputError where base and request do not fit."""
    params = body.model_dump(exclude={"segments"})
    if body.base is None:
        if body.method == "adapt":
            raise InputError("invalid-job", "adapt corrects a base model; name one", ("base",))
        params["method"] = "retrain"
        params["learner"] = body.learner or "gp"
        params["feature_set"] = body.feature_set or engine.default_feature_set(kinds_in(columns), len(columns["sources"]))
        parse_learner(params["learner"])
        return params
    base = base_model(body, engine)
    if body.feature_set not in (None, base.card.feature_set):
        raise InputError("invalid-job", f"a version has its base's features, {base.card.feature_set}", ("feature_set",))
    method = body.method
    if method == "auto":
        foreign = base.card.pair != f"{body.source_language}-{body.target_language}"
        method = "adapt" if foreign or len(columns["sources"]) < ROWS_TO_RETRAIN else "retrain"
    if method == "retrain":
        _check_pair(base, body)
        engine.registry.rows(base).of(base.card.features, base.card.label)
    learner = body.learner or ("gp" if base.card.learner == ADAPTED else base.card.learner)
    parse_learner(learner)
    return {
        **params,
        "method": method,
        "learner": learner,
        "feature_set": base.card.feature_set,
        "features": list(base.card.features),
    }


def _check_pair(base: Model, body: TrainRequest) -> None:
    if base.card.pair != f"{body.source_language}-{body.target_language}":
        raise InputError("model-for-another-pair", f"this model is for {base.card.pair}; adapt can correct it", ("base",))


def base_model(body: TrainRequest, engine: Engine) -> Model:
    """The base of a request, which must be of its label."""
    base = engine.models.get(body.base or "")
    if base is None:
        raise InputError("unknown-model", "there is no such model; GET /v1/models lists them", ("base",))
    if base.card.label != body.label:
        raise InputError("unknown-model", f"this model predicts {base.card.label}", ("label",))
    return base


def training_columns(body: TrainRequest, sent: Json, engine: Engine, store: FeedbackStore, settings: Settings) -> Json:
    """Sent rows and, where asked, feedback, as the columns of a job; feedback lacking what the features need is left out."""
    check_labels(label_named(body.label), [segment.label for segment in body.segments], "segments")
    labels = [segment.label for segment in body.segments]
    tasks = _tasks(body)
    if not body.feedback:
        return {**sent, "labels": labels, **({"tasks": tasks} if tasks else {})}
    wanted = _evidence_of(body, engine, sent)
    texts = {name: sent[name] for name in ("sources", "translations")}
    held_back = [False] * len(labels)
    columns: Json = {**texts, **{name: sent.get(name, []) for name in wanted}, "labels": labels, "held_back": held_back}
    pair = str(LanguagePair(body.source_language, body.target_language))
    for item, held in store.read(pair, body.label):
        if all(item.content.get(name) is not None for name in wanted):
            columns["sources"].append(item.content["source"])
            columns["translations"].append(item.content["translation"])
            columns["labels"].append(item.value)
            columns["held_back"].append(held)
            for name in wanted:
                columns[name].append(item.content[name])
    check_count(len(columns["sources"]), settings.max_job_segments, ("segments",))
    return columns


def _tasks(body: TrainRequest) -> list[str]:
    """The task of every segment, or nothing; InputError where only some have one, or where tasks are not learned."""
    tasks = [segment.task for segment in body.segments if segment.task is not None]
    if not tasks:
        return []
    if len(tasks) < len(body.segments):
        at = next(number for number, segment in enumerate(body.segments) if segment.task is None)
        raise InputError("missing-evidence", "task is given for some segments but not for this one", ("segments", at, "task"))
    if body.base is not None or body.feedback:
        raise InputError("invalid-job", "tasks are learned from segments alone, without base and feedback", ("base",))
    if body.sharing not in TASK_SHARING:
        raise InputError("invalid-job", f"tasks are shared as {', '.join(TASK_SHARING)}", ("sharing",))
    if not 2 <= len(set(tasks)) <= MOST_TASKS:
        raise InputError("invalid-job", f"there must be 2 to {MOST_TASKS} tasks", ("segments",))
    return tasks


def _evidence_of(body: TrainRequest, engine: Engine, sent: Json) -> list[str]:
    """The columns that every row must have: what the base's features need, or what the sent segments have."""
    if body.base is None:
        return [kind.name for kind in KINDS if kind.with_feedback and kind.name in sent]
    needs = exact_set("base", base_model(body, engine).card.features).needs
    kinds = [need for need in needs if isinstance(need, Kind)]
    unknown = [kind for kind in kinds if not kind.with_feedback]
    if unknown:
        raise InputError("invalid-job", f"feedback does not hold what this model needs: {unknown[0]}", ("feedback",))
    return [kind.name for kind in kinds]
