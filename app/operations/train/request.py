"""Request of a training."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field, FiniteFloat

from app.errors import InputError
from app.operations.documents.grouping import Means, check_documents
from app.operations.parts.fields import LabelledSegment, PairRequest, pair_of
from app.operations.parts.label_values import check_labels
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import LabelName, ModelId
from app.operations.parts.segments import check_pairs
from app.operations.train.scale import ScaleRequest, label_of
from app.predictors.learners import parse_learner
from app.predictors.learners.gp.tasks import TASK_SHARING
from app.text import LanguagePair

__all__ = ["OtherPair", "TrainRequest", "check_training", "task_names"]

MOST_TASKS: Final = 20
Promote = Annotated[
    Literal["by-hand", "if-better"], Field(description="if-better: as soon as a new version is significantly better")
]
NewName = Annotated[
    str, Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", description="Id of the new model")
]


DocumentMeans = Annotated[
    Means | None,
    Field(description="Learn documents: their labels are means of segments' labels, weighted by tokens of translations, or plain"),
]


class OtherPair(PairRequest):
    """Labelled segments of another language pair, to learn from together."""

    segments: Annotated[list[LabelledSegment], Field(min_length=1)]


class TrainRequest(PairRequest):
    """Parameters of a `train` job. `held_out_share` of the rows choose and calibrate the model, or the segments `held_out` do.

    With `base`, the job makes the next version of that model. `retrain` learns from the base's rows and the new ones. `adapt`
    corrects the base by the new rows, which may be of another language pair. `auto` adapts if there are fewer than 1,000 rows.
    `feedback` adds what POST /v1/feedback has collected. With a `task` in every segment, or with `others`, one Gaussian process
    learns all tasks together, by how they share (`sharing`, `rank`), and each becomes a model. Another learner with `sharing`
    `independent` learns each task from its own segments alone.
    """

    label: LabelName
    scale: Annotated[
        ScaleRequest | None, Field(description="Scale of the labels, for a label with an unusual scale or a new name")
    ] = None
    feature_set: Annotated[str, Field(max_length=100)] | None = None
    learner: Annotated[str, Field(max_length=200)] | None = None
    base: ModelId | None = None
    method: Literal["auto", "retrain", "adapt"] = "auto"
    feedback: bool = False
    promote: Promote = "by-hand"
    documents: DocumentMeans = None
    sharing: Annotated[str, Field(max_length=20)] = "combined"
    rank: Annotated[int, Field(ge=1, le=10)] = 1
    held_out_share: Annotated[FiniteFloat, Field(ge=0.05, le=0.5)] = 0.2
    seed: Annotated[int, Field(ge=0, le=2**31)] = 12345
    curve: Annotated[bool, Field(description="Measure how accuracy grows with rows, which doubles the time")] = False
    segments: list[LabelledSegment] = Field(default_factory=list)
    held_out: Annotated[list[LabelledSegment], Field(min_length=1)] | None = None
    others: Annotated[list[OtherPair], Field(min_length=1, max_length=MOST_TASKS - 1)] | None = None
    name: NewName | None = None
    licence: Annotated[str, Field(max_length=100, description="Licence of the model, for its card")] = "private"
    data_name: Annotated[str, Field(min_length=1, max_length=200, description="Name of the rows in the card")] | None = None
    held_out_name: Annotated[str, Field(min_length=1, max_length=200, description="Side information of held_out")] | None = None

    def pairs(self) -> list[LanguagePair]:
        """Language pairs of the request and of `others`."""
        return [pair_of(part) for part in (self, *(self.others or []))]


def check_training(request: TrainRequest, limits: RequestLimits) -> None:
    """InputError for impossible segments or labels, and for fields that exclude each other."""
    other_parts = request.others or []
    lists = [request.segments, request.held_out or [], *(part.segments for part in other_parts)]
    check_count(sum(map(len, lists)), limits.segments, ("segments",))
    _check_segments(request, request, request.segments, limits, "segments")
    _check_segments(request, request, request.held_out or [], limits, "held_out")
    for number, part in enumerate(other_parts):
        try:
            _check_segments(request, part, part.segments, limits, "segments")
        except InputError as error:
            raise InputError(error.code, error.detail, ("others", number, *error.where)) from None
    is_joint = bool(task_names(request)) or request.others is not None
    _check_fields(request, is_joint)
    _check_documents(request, is_joint)
    if is_joint:
        _check_tasks(request, [request, *other_parts])


def _check_segments(
    request: TrainRequest, pair: PairRequest, segments: list[LabelledSegment], limits: RequestLimits, field: str
) -> None:
    if not segments:
        return
    # Planning knows the scale of a base's labels.
    if request.base is None:
        check_labels(label_of(request.label, request.scale), [segment.label for segment in segments], field)
    check_pairs(pair_of(pair), segments, limits)
    if field == "held_out" or isinstance(pair, OtherPair):
        at = next((number for number, segment in enumerate(segments) if segment.task is not None), None)
        if at is not None:
            raise InputError("invalid-job", "a task is named by segments to learn from alone", (field, at, "task"))


def _check_fields(request: TrainRequest, is_joint: bool) -> None:
    """InputError for a field that says nothing beside the others: nothing that was asked for is dropped."""
    set_fields = request.model_fields_set
    if is_joint and (request.base is not None or request.feedback):
        raise InputError("invalid-job", "tasks are learned from segments alone, without base and feedback", ("base",))
    unused_fields = {"sharing", "rank"} if not is_joint else {"method", "promote", "held_out", "name", "curve"}
    reason = "is for tasks that are learned together" if not is_joint else "does not go with tasks that are learned together"
    if not is_joint and request.base is None:
        unused_fields |= {"promote"}
    for field in sorted(unused_fields & set_fields):
        value = getattr(request, field)
        if value not in (None, False, type(request).model_fields[field].default):
            detail = "compares a version with its base; name one" if field == "promote" and not is_joint else reason
            raise InputError("invalid-job", f"{field} {detail}", (field,))
    if request.held_out is not None and "held_out_share" in set_fields:
        raise InputError("invalid-job", "give held_out or held_out_share", ("held_out_share",))
    if request.held_out is None and request.held_out_name is not None:
        raise InputError("invalid-job", "held_out_name is for held_out, which is not given", ("held_out_name",))
    if request.method == "adapt":
        for field in ("learner", "curve", "held_out"):
            if field in set_fields and getattr(request, field) not in (None, False):
                raise InputError("invalid-job", f"{field} does not go with adapt, which corrects a base", (field,))


def _check_documents(request: TrainRequest, is_joint: bool) -> None:
    """InputError for segments of documents that are not to be learned, or for documents that a training cannot learn."""
    lists = {"segments": request.segments, "held_out": request.held_out or []}
    if request.documents is None:
        parts = [*lists.values(), *(part.segments for part in request.others or [])]
        if any(segment.document is not None for segments in parts for segment in segments):
            raise InputError("invalid-job", "segments name documents; say documents: weighted or plain", ("documents",))
        return
    if is_joint or request.feedback:
        raise InputError("invalid-job", "documents are learned without tasks, others and feedback", ("documents",))
    if request.promote != "by-hand":
        raise InputError("invalid-job", "a model of documents cannot be promoted", ("promote",))
    names = {field: [segment.document for segment in segments] for field, segments in lists.items()}
    for field, column in names.items():
        check_documents(column, field)
    training_names = set(names["segments"])
    row = next((row for row, name in enumerate(names["held_out"]) if name in training_names), None)
    if row is not None:
        raise InputError("invalid-job", "this document is among those to learn from", ("held_out", row, "document"))


def _check_tasks(request: TrainRequest, pairs: Sequence[PairRequest]) -> None:
    if request.sharing not in TASK_SHARING:
        raise InputError("invalid-job", f"tasks are shared as {', '.join(TASK_SHARING)}", ("sharing",))
    if request.learner is not None and parse_learner(request.learner)[0] != "gp" and request.sharing != "independent":
        detail = "tasks share what gp learns, a Gaussian process; with sharing independent any learner makes a model of each task"
        raise InputError("invalid-job", detail, ("learner",))
    names = [str(pair_of(pair)) for pair in pairs]
    if len(set(names)) < len(names):
        raise InputError("invalid-job", "each language pair is a task of its own, and is given once", ("others",))


def task_names(request: TrainRequest) -> list[str]:
    """The task of every segment, or nothing; InputError where only some have one, or where there are too few or too many."""
    tasks = [segment.task for segment in request.segments if segment.task is not None]
    if not tasks:
        return []
    if len(tasks) < len(request.segments):
        at = next(number for number, segment in enumerate(request.segments) if segment.task is None)
        raise InputError("missing-evidence", "task is given for some segments but not for this one", ("segments", at, "task"))
    if request.others is not None:
        raise InputError("invalid-job", "tasks are of one language pair, or each is a pair; give task or others", ("others",))
    if not 2 <= len(set(tasks)) <= MOST_TASKS:
        raise InputError("invalid-job", f"there must be 2 to {MOST_TASKS} tasks", ("segments",))
    return tasks
