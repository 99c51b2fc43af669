"""Request of a round of active learning, or of its simulation."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field, FiniteFloat

from app.errors import InputError
from app.operations.operation import Body
from app.operations.parts.fields import LabelledSegment, PairRequest, Segment, check_present, pair_of
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import LabelName
from app.operations.parts.segments import check_pairs
from app.operations.train.request import NewName
from app.operations.train.scale import ScaleRequest, label_of

__all__ = ["MOST_POOL", "TOLERANCE", "WINDOW", "LearnRequest", "PoolSegment", "SegmentLabel", "check_learning"]

# A session is one file, which planning reads.
MOST_POOL: Final = 20_000
WINDOW: Final = 5
TOLERANCE: Final = 0.02


HeldOut = Annotated[
    list[LabelledSegment] | None,
    Field(min_length=1, description="Segments that measure a simulation; a fifth of the pool by default"),
]


class PoolSegment(Segment):
    """A pair of the pool, with its label if it has one."""

    label: FiniteFloat | None = None


class SegmentLabel(Body):
    """The label of a segment of the pool, counted from 1."""

    segment: Annotated[int, Field(ge=1)]
    label: FiniteFloat


class LearnRequest(PairRequest):
    """Parameters of a `learn` job: a round of active learning.

    The first round has the pool (`segments`), later ones name the job of the round before (`after`) and bring `labels`. A round
    learns all labels so far and chooses the next `batch`. It first asks for `start` random labels. At a plateau, or with `finish`,
    it trains a predictor instead. A round may be repeated, and labels sent again replace the earlier ones. With `simulate` the
    labels of the whole pool are known, and the job compares its choice with a random one.
    """

    label: LabelName
    scale: Annotated[ScaleRequest | None, Field(description="Scale of the labels, in the first round")] = None
    feature_set: Annotated[str, Field(max_length=100, description="Features of the first round")] = "text-only+words"
    segments: Annotated[list[PoolSegment], Field(max_length=MOST_POOL)] = Field(default_factory=list)
    after: Annotated[str, Field(max_length=100, description="Id of the job of the round before")] | None = None
    labels: Annotated[list[SegmentLabel], Field(max_length=MOST_POOL)] = Field(default_factory=list)
    start: Annotated[int, Field(ge=20, le=1000, description="Random segments to label before the first batch")] = 50
    batch: Annotated[int, Field(ge=1, le=1000, description="Segments to label in a round")] = 20
    beta: Annotated[FiniteFloat, Field(ge=0, le=10, description="Power of the density; 0 chooses by variance alone")] = 0.0
    window: Annotated[int, Field(ge=1, le=100, description="Rounds of a plateau")] = WINDOW
    tolerance: Annotated[FiniteFloat, Field(ge=0, le=1, description="Range of the error in a plateau, over its mean")] = TOLERANCE
    finish: Annotated[bool, Field(description="Train a predictor on the labels so far")] = False
    simulate: bool = False
    limit: Annotated[int, Field(ge=20, le=2000, description="Labels at the end of a simulation")] = 400
    held_out: HeldOut = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 12345
    name: NewName | None = None
    licence: Annotated[str, Field(max_length=100, description="Licence of the model, for its card")] = "private"


def check_learning(request: LearnRequest, limits: RequestLimits) -> None:
    """InputError for a pool or labels that cannot be, and for fields that exclude each other."""
    check_count(len(request.segments) + len(request.held_out or []), limits.segments, ("segments",))
    _check_labels(request.labels)
    if request.after is not None:
        for field in ("segments", "scale", "feature_set", "start", "seed", "simulate", "held_out"):
            if field in request.model_fields_set and getattr(request, field):
                raise InputError("invalid-job", f"{field} is of the first round; with after send labels alone", (field,))
        return
    if request.labels:
        raise InputError("invalid-job", "name the job of the round before, or give labels with segments", ("after",))
    check_present(len(request.segments))
    label = label_of(request.label, request.scale)
    check_pairs(pair_of(request), [*request.segments, *(request.held_out or [])], limits)
    pool, held_out = [segment.label for segment in request.segments], [segment.label for segment in request.held_out or []]
    for field, labels in (("segments", pool), ("held_out", held_out)):
        for row, value in enumerate(labels):
            if value is not None and (misfit := label.misfit(value)) is not None:
                raise InputError("invalid-training-data", misfit, (field, row, "label"))
    _check_simulation(request)


def _check_labels(labels: Sequence[SegmentLabel]) -> None:
    """InputError for two labels of one segment in a round."""
    rows: dict[int, int] = {}
    for row, entry in enumerate(labels):
        if (first := rows.setdefault(entry.segment, row)) != row:
            detail = f"segment {entry.segment} has a label in labels.{first} already; a round takes one label of a segment"
            raise InputError("invalid-training-data", detail, ("labels", row, "segment"))


def _check_simulation(request: LearnRequest) -> None:
    if not request.simulate:
        fields = [field for field in ("held_out", "limit") if field in request.model_fields_set and getattr(request, field)]
        if fields:
            raise InputError("invalid-job", f"{fields[0]} is of a simulation", (fields[0],))
        return
    row = next((row for row, segment in enumerate(request.segments) if segment.label is None), None)
    if row is not None:
        raise InputError("missing-evidence", "a simulation needs the label of each segment", ("segments", row, "label"))
    for field in ("finish", "name"):
        if getattr(request, field):
            raise InputError("invalid-job", f"{field} does not go with a simulation, which trains no model", (field,))
