"""Segments of an unlabelled pool that are most worth annotating."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut
from app.operations.parts.about_models import ModelSummary, model_summary
from app.operations.parts.fields import Segment, SegmentsRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.segments import check_pairs, columns_of, segments_of, segments_of_chunk
from app.predictors.active_learning import DEFAULT_STRATEGY, STRATEGIES, select_segments

__all__ = ["SelectAnswer", "SelectRequest", "operation"]


class SelectRequest(SegmentsRequest):
    """Parameters of a `select` job: a pool without labels, and how many of its segments to choose."""

    count: Annotated[int, Field(ge=1, le=10_000)] = 100
    strategy: Annotated[str, Field(max_length=40)] = DEFAULT_STRATEGY
    segments: list[Segment]


class SelectedSegment(TypedDict):
    """A segment of the pool, counted from 1, with its worth."""

    segment: int
    worth: float
    source: str
    translation: str


class SelectAnswer(ModelSummary):
    """The segments that are worth annotating, best first."""

    segments: list[SelectedSegment]


def _check(request: SelectRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    check_pairs(pair_of(request), request.segments, limits)
    if request.strategy not in STRATEGIES:
        raise InputError("invalid-job", f"strategies are {', '.join(STRATEGIES)}", ("params", "strategy"))


def _split(planning: Planning, request: SelectRequest) -> Plan:
    segments = segments_of(pair_of(request), request.segments)
    model = planning.engine.at(request.profile).model_for(segments.pair, request.model, request.label, segments.evidence)
    params = {**request.model_dump(exclude={"segments"}), **model_summary(model)}
    return Plan("select", params, cut(columns_of(segments), planning.chunk_rows))


def _work(context: Context, chunk: Json) -> Output:
    values = context.engine.model_features(segments_of_chunk(context.params, chunk), context.params["model"])
    return {"rows": [], "carry": {"values": values.tolist(), "sources": chunk["sources"], "translations": chunk["translations"]}}


def _finish(context: Context, outputs: Iterable[Output]) -> SelectAnswer:
    pool: dict[str, list[Any]] = {"values": [], "sources": [], "translations": []}
    for output in outputs:
        for name, values in pool.items():
            values += output["carry"][name]
    model = context.engine.models[context.params["model"]]
    features = np.array(pool["values"], np.float64)
    rows, worth = select_segments(model, features, context.params["count"], context.params["strategy"])
    selected_segments: list[SelectedSegment] = [
        {"segment": row + 1, "worth": value, "source": pool["sources"][row], "translation": pool["translations"][row]}
        for row, value in zip(rows.tolist(), worth.tolist(), strict=True)
    ]
    return {**model_summary(model), "segments": selected_segments}


operation = Operation[SelectRequest, SelectAnswer](
    name="select",
    summary="Choose the segments of a pool that are worth annotating next.",
    request=SelectRequest,
    answer_type=SelectAnswer,
    check=_check,
    tag="models",
    steps=Steps(_split, _work, _finish, rows_in_summary=True, parallel=True),
)
