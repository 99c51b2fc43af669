"""Agreement of metrics' scores with people's."""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING, Annotated, Final, NotRequired

import numpy as np
from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics.meta_evaluation.correlation import AGREEMENTS, pair_count, pairwise_accuracy
from app.metrics.meta_evaluation.differences import permutation_test, williams_test
from app.operations.operation import Body, Json, Operation, with_example
from app.operations.parts.costs.cost import Cost
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import SystemName
from app.running.deadline import check_deadline
from app.running.rates import Amount

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["CorrelateAnswer", "CorrelateRequest", "operation"]

MOST_PAIRS: Final = 10_000_000
TESTED_LIMIT: Final = 8
LONGEST_TESTED: Final = 20_000
CALIBRATED: Final = "accuracy-calibrated"
# Work of an agreement, and of the permutations of two metrics, for each translation; and of a calibration for each pair.
WORK_OF_AGREEMENT: Final = 500
WORK_OF_PAIR: Final = 80
WORK_OF_PERMUTATIONS: Final = 20_000
# The product of two sums of squares of such scores is still a number.
LARGEST: Final = 1e60


class CorrelateRequest(Body):
    """POST /v1/correlate: human scores and metrics' scores of the same translations, all higher for better ones."""

    model_config = with_example({"human": [0.1, 0.5, 0.9], "metrics": {"bleu": [10.0, 40.0, 80.0]}})

    human: Annotated[list[FiniteFloat], Field(min_length=2, max_length=100_000)]
    metrics: Annotated[dict[SystemName, list[FiniteFloat]], Field(min_length=1, max_length=64)]
    groups: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None, Field(description="Only translations of one group are paired")
    ] = None
    agreements: list[Annotated[str, Field(max_length=50)]] = Field(
        default_factory=lambda: ["pearson", "spearman", "tau-b", CALIBRATED], min_length=1, max_length=20
    )
    tests: Annotated[bool, Field(description="Test every two metrics against each other")] = False


class TestedPair(TypedDict):
    """Two metrics against each other."""

    metric: str
    other: str
    williams_p_value: float
    permutation_p_value: float
    meaning: str


class CorrelateAnswer(TypedDict):
    """Per metric its agreements by name, and `epsilon` where a tie was calibrated."""

    metrics: list[Json]
    tests: NotRequired[list[TestedPair]]


def _check(request: CorrelateRequest, limits: RequestLimits) -> None:
    agreements, size = request.agreements, len(request.human)
    unknown = [name for name in agreements if name not in AGREEMENTS]
    if unknown:
        raise InputError("invalid-request", f"agreements are {', '.join(AGREEMENTS)}", ("agreements", agreements.index(unknown[0])))
    _check_size(request.human, ("human",))
    for number, scores in enumerate(request.metrics.values()):
        _check_size(scores, ("metrics", number))
        if len(scores) != size:
            detail = f"there are {size} human scores and {len(scores)} of this metric"
            raise InputError("unequal-lengths", detail, ("metrics", number))
    if request.groups is not None and len(request.groups) != size:
        raise InputError("unequal-lengths", f"there are {size} human scores and {len(request.groups)} groups", ("groups",))
    if CALIBRATED in agreements and pair_count(_groups(request)) > MOST_PAIRS:
        detail = f"there are more than {MOST_PAIRS} pairs; give smaller groups, or leave {CALIBRATED} out"
        raise InputError("too-many-segments", detail, ("groups",))
    if request.tests and (len(request.metrics) > TESTED_LIMIT or size > LONGEST_TESTED):
        limit = f"tests take at most {TESTED_LIMIT} metrics and {LONGEST_TESTED} translations"
        raise InputError("too-many-segments", limit, ("tests",))


def _check_size(scores: Sequence[float], place: tuple[str | int, ...]) -> None:
    row = next((row for row, score in enumerate(scores) if abs(score) > LARGEST), None)
    if row is not None:
        raise InputError("invalid-request", f"a score is a number from {-LARGEST:g} to {LARGEST:g}", (*place, row))


def _groups(request: CorrelateRequest) -> Int64s:
    """The number of each translation's group."""
    if not request.groups:
        return np.zeros(len(request.human), np.int64)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(request.groups))}
    return np.array([numbers[name] for name in request.groups], np.int64)


def _answer(engine: "Engine", request: CorrelateRequest) -> CorrelateAnswer:
    gold, groups = np.array(request.human, np.float64), _groups(request)
    values = {name: np.array(scores, np.float64) for name, scores in request.metrics.items()}
    rows: list[Json] = []
    agreements = dict.fromkeys(request.agreements)
    for name, scores in values.items():
        check_deadline()
        row: Json = {"metric": name, "translations": len(gold)}
        best = pairwise_accuracy(gold, scores, groups) if CALIBRATED in agreements else None
        for agreement in agreements:
            accuracy = best.accuracy if best is not None and agreement == CALIBRATED else None
            row[agreement] = AGREEMENTS[agreement].measure(gold, scores, groups) if accuracy is None else accuracy
        if best is not None:
            row["epsilon"] = best.epsilon
        rows.append(row)
    return {"metrics": rows, "tests": _tests(gold, values, groups)} if request.tests else {"metrics": rows}


def _tests(gold: Float64s, values: Mapping[str, Float64s], groups: Int64s) -> list[TestedPair]:
    # A two-sided value holds in both directions.
    p_values: dict[frozenset[str], float] = {}
    for name, rival in combinations(values, 2):
        check_deadline()
        p_value = permutation_test(AGREEMENTS["pearson"], gold, values[name], values[rival], groups)
        p_values[frozenset((name, rival))] = p_value
    return [
        {
            "metric": name,
            "other": rival,
            "williams_p_value": williams_test(gold, values[name], values[rival]),
            "permutation_p_value": p_values[frozenset((name, rival))],
            "meaning": "williams: one-sided, the first has the higher Pearson correlation; permutation: two-sided",
        }
        for name, rival in permutations(values, 2)
    ]


def _work(request: CorrelateRequest) -> int:
    """Work of all agreements and tests of a request."""
    agreements, size = set(request.agreements), len(request.human)
    work = WORK_OF_AGREEMENT * len(agreements) * size
    if CALIBRATED in agreements:
        work += WORK_OF_PAIR * pair_count(_groups(request))
    tests = WORK_OF_PERMUTATIONS * size * comb(len(request.metrics), 2) if request.tests else 0
    return work * len(request.metrics) + tests


operation = Operation(
    name="correlate",
    id="correlateMetrics",
    summary="Agreement of metrics' scores with people's.",
    request=CorrelateRequest,
    answer_type=CorrelateAnswer,
    check=_check,
    answer=_answer,
    tag="analysis",
    scope="score",
    cost=lambda engine, request: Cost(Amount(len(request.human)), _work(request)),
)
