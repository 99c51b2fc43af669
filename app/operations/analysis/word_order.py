"""Similarity of the order of aligned words, for alignments made elsewhere."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.arrays import Int64s
from app.errors import InputError
from app.metrics.word_order.names import ORDERINGS
from app.metrics.word_order.order_metric import order_scores
from app.operations.operation import Body, Operation, with_example
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.work import work_of_orders
from app.operations.parts.fields import check_present
from app.operations.parts.limits import RequestLimits, check_count
from app.permutations.given_alignments import AlignedOrder, aligned_orders, read_links
from app.permutations.permutation_kernels import LONGEST_QUADRATIC
from app.running.deadline import check_deadline
from app.running.rates import Amount

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["WordOrderAnswer", "WordOrderRequest", "operation"]

# Spans are compared with all spans inside them: the cube of a length.
WORK_OF_GROUP: Final = 500_000_000
LONGEST_REFERENCE: Final = 1_000_000


class AlignedSegment(Body):
    """One segment whose words were aligned elsewhere."""

    alignment: Annotated[str, Field(max_length=100_000, description="Pairs i-j from 0, the hypothesis's word first")]
    hypothesis_words: Annotated[int, Field(ge=0)]
    reference_words: Annotated[int, Field(ge=0)]


class WordOrderRequest(Body):
    """POST /v1/word-order: how alike the order of aligned words is."""

    model_config = with_example({"segments": [{"alignment": "0-1 1-0", "hypothesis_words": 2, "reference_words": 2}]})

    segments: list[AlignedSegment]
    beta: Annotated[FiniteFloat, Field(ge=0, le=1, description="Weight of a tree's node against its children")] = 0.6
    alpha: Annotated[FiniteFloat, Field(ge=0, le=1, description="Weight of the words against their order, in `scores`")] = 0.5


class SegmentWordOrder(TypedDict):
    """The permutation of a segment's linked words, the measures of it, and its scores, which weigh words against order."""

    permutation: list[int]
    measures: dict[str, float]
    scores: dict[str, float]


class WordOrderAnswer(TypedDict):
    """Segments in the order of the request."""

    segments: list[SegmentWordOrder]
    unit: str
    direction: str


def _check(request: WordOrderRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    check_count(len(request.segments), limits.segments, ("segments",))
    for number, segment in enumerate(request.segments):
        if segment.hypothesis_words > LONGEST_QUADRATIC:
            raise InputError("segment-too-long", f"at most {LONGEST_QUADRATIC} words a segment", ("segments", number))
        if segment.reference_words > LONGEST_REFERENCE:
            place = ("segments", number, "reference_words")
            raise InputError("segment-too-long", f"at most {LONGEST_REFERENCE} words of a reference", place)


def _orders(links: Sequence[Int64s], beta: float) -> list[AlignedOrder]:
    """The orders of all segments, in groups of a second or so, between which somebody may give up."""
    orders: list[AlignedOrder] = []
    group: list[Int64s] = []
    work = 0
    for row in links:
        group.append(row)
        work += len(row) ** 3
        if work > WORK_OF_GROUP:
            check_deadline()
            orders += aligned_orders(group, beta)
            group, work = [], 0
    return orders + aligned_orders(group, beta) if group else orders


def _answer(engine: "Engine", request: WordOrderRequest) -> WordOrderAnswer:
    segments = request.segments
    links = [
        read_links(segment.alignment, segment.hypothesis_words, ("segments", number, "alignment"))
        for number, segment in enumerate(segments)
    ]
    orders = _orders(links, request.beta)
    aligned_words = np.array([len(order.permutation) for order in orders], np.int64)
    hypotheses = np.array([segment.hypothesis_words for segment in segments], np.int64)
    references = np.array([segment.reference_words for segment in segments], np.int64)
    scores = {
        name: order_scores(
            np.array([order.measures[name] for order in orders]), aligned_words, hypotheses, references, request.alpha, "f1"
        )
        for name in ORDERINGS
    }
    return {
        "segments": [
            {
                "permutation": list(order.permutation),
                "measures": order.measures,
                "scores": {name: float(values[i]) for name, values in scores.items()},
            }
            for i, order in enumerate(orders)
        ],
        "unit": "0-1",
        "direction": "higher is better",
    }


operation = Operation(
    name="word-order",
    id="scoreWordOrder",
    summary="Similarities of word order, for alignments made elsewhere.",
    request=WordOrderRequest,
    answer_type=WordOrderAnswer,
    check=_check,
    answer=_answer,
    tag="analysis",
    scope="score",
    cost=lambda engine, request: Cost(
        Amount(len(request.segments)), work_of_orders(segment.hypothesis_words for segment in request.segments)
    ),
)
