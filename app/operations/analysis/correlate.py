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
from app.metrics.meta_evaluation.differences import TRIALS, permutation_test, williams_test
from app.metrics.meta_evaluation.resampling import SAMPLES, bootstrap_agreement
from app.operations.analysis.ranked_systems import Duel, RankedSystem, RankedSystems, rank_systems
from app.operations.analysis.span_agreement import SpanAgreement, SpanLists, check_spans, span_agreements, work_of_spans
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
MOST_SYSTEMS: Final = 64
TESTED_LIMIT: Final = 8
LONGEST_TESTED: Final = 20_000
CALIBRATED: Final = "accuracy-calibrated"
# Work of an agreement for each translation, of Pearson's r in a sample or trial, and of a calibration for each pair.
WORK_OF_AGREEMENT: Final = 500
WORK_OF_PEARSON: Final = 20
WORK_OF_PAIR: Final = 250
# Work of the wins of a pair of translations in all samples; and of the swaps of two systems in a segment in all trials.
WORK_OF_WINS: Final = 8_000
WORK_OF_SWAPS: Final = 500
# The product of two sums of squares of such scores is still a number.
LARGEST: Final = 1e60


# Fields that say something about scores alone.
OF_SCORES: Final = ("groups", "systems", "agreements", "tests")


class CorrelateRequest(Body):
    """POST /v1/correlate: human scores and metrics' scores of the same translations, all higher for better ones; or error spans."""

    model_config = with_example({"human": [0.1, 0.5, 0.9], "metrics": {"bleu": [10.0, 40.0, 80.0]}})

    human: Annotated[list[FiniteFloat], Field(max_length=100_000)]
    metrics: Annotated[dict[SystemName, list[FiniteFloat]], Field(max_length=64)]
    spans: Annotated[SpanLists | None, Field(description="Error spans in place of scores, which are then empty")] = None
    groups: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None, Field(description="Only translations of one group are paired")
    ] = None
    systems: Annotated[
        list[SystemName] | None, Field(description="System of each translation, with the segment as group: rank the systems")
    ] = None
    agreements: list[Annotated[str, Field(max_length=50)]] = Field(
        default_factory=lambda: ["pearson", "spearman", "tau-b", CALIBRATED], min_length=1, max_length=20
    )
    tests: Annotated[bool, Field(description="Test every two metrics by the first agreement")] = False


class TestedPair(TypedDict):
    """Two metrics against each other: the difference of the first agreement, 95 % of it in samples, and tests."""

    metric: str
    other: str
    difference: float
    interval: list[float]
    share_higher: float
    williams_p_value: float
    permutation_p_value: float
    meaning: str


class CorrelateAnswer(TypedDict):
    """Per metric its agreements by name, and `epsilon` where a tie was calibrated; systems and duels if they are named."""

    metrics: list[Json]
    spans: NotRequired[list[SpanAgreement]]
    systems: NotRequired[list[RankedSystem]]
    duels: NotRequired[list[Duel]]
    tests: NotRequired[list[TestedPair]]


def _check(request: CorrelateRequest, limits: RequestLimits) -> None:
    if request.spans is not None:
        if request.human or request.metrics:
            raise InputError("invalid-request", "send scores or spans, not both", ("spans",))
        misplaced_field = next((name for name in OF_SCORES if name in request.model_fields_set and getattr(request, name)), None)
        if misplaced_field is not None:
            raise InputError("invalid-request", f"{misplaced_field} are for scores, and this request has spans", (misplaced_field,))
        check_spans(request.spans)
        return
    if len(request.human) < 2:
        raise InputError("invalid-request", "send two human scores or more, or spans", ("human",))
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
    if (CALIBRATED in agreements or request.systems) and pair_count(_groups(request)) > MOST_PAIRS:
        detail = f"there are more than {MOST_PAIRS} pairs; give smaller groups, or leave {CALIBRATED} and systems out"
        raise InputError("too-many-segments", detail, ("groups",))
    _check_systems(request)
    if request.tests and (len(request.metrics) > TESTED_LIMIT or size > LONGEST_TESTED):
        limit = f"tests take at most {TESTED_LIMIT} metrics and {LONGEST_TESTED} translations"
        raise InputError("too-many-segments", limit, ("tests",))


def _check_systems(request: CorrelateRequest) -> None:
    systems = request.systems
    if systems is None:
        if not request.metrics:
            raise InputError("invalid-request", "send the scores of a metric, or the systems to rank", ("metrics",))
        return
    if len(systems) != _size(request):
        detail = f"there are {_size(request)} human scores and {len(systems)} systems"
        raise InputError("unequal-lengths", detail, ("systems",))
    if request.groups is None:
        raise InputError("invalid-request", "systems are compared within segments; send the segments as groups", ("groups",))
    if len(set(systems)) > MOST_SYSTEMS:
        raise InputError("too-many-segments", f"at most {MOST_SYSTEMS} systems are accepted", ("systems",))


def _check_size(scores: Sequence[float], place: tuple[str | int, ...]) -> None:
    row = next((row for row, score in enumerate(scores) if abs(score) > LARGEST), None)
    if row is not None:
        raise InputError("invalid-request", f"a score is a number from {-LARGEST:g} to {LARGEST:g}", (*place, row))


def _size(request: CorrelateRequest) -> int:
    """Number of translations."""
    return len(request.spans.human) if request.spans is not None else len(request.human)


def _groups(request: CorrelateRequest) -> Int64s:
    """The number of each translation's group."""
    if not request.groups:
        return np.zeros(_size(request), np.int64)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(request.groups))}
    return np.array([numbers[name] for name in request.groups], np.int64)


def _answer(engine: "Engine", request: CorrelateRequest) -> CorrelateAnswer:
    if request.spans is not None:
        return {"metrics": [], "spans": span_agreements(request.spans)}
    gold, groups = np.array(request.human, np.float64), _groups(request)
    values = {name: np.array(scores, np.float64) for name, scores in request.metrics.items()}
    ranking: RankedSystems | None = None
    of_systems: Mapping[str, Json] = {}
    if request.systems is not None:
        ranking, of_systems = rank_systems(gold, values, groups, request.systems)
    rows: list[Json] = []
    agreements = list(dict.fromkeys(request.agreements))
    for name, scores in values.items():
        check_deadline()
        row: Json = {"metric": name, "translations": len(gold)}
        best = pairwise_accuracy(gold, scores, groups) if CALIBRATED in agreements else None
        for agreement in agreements:
            accuracy = best.accuracy if best is not None and agreement == CALIBRATED else None
            row[agreement] = AGREEMENTS[agreement].measure(gold, scores, groups) if accuracy is None else accuracy
        if best is not None:
            row["epsilon"] = best.epsilon
        rows.append({**row, **of_systems.get(name, {})})
    answer: CorrelateAnswer = {"metrics": rows}
    if ranking is not None:
        answer = {**answer, "systems": ranking["systems"], "duels": ranking["duels"]}
    if request.tests and rows:
        answer["tests"] = _tests(gold, values, groups, rows, agreements[0])
    return answer


def _tests(
    gold: Float64s, values: Mapping[str, Float64s], groups: Int64s, rows: Sequence[Json], agreement: str
) -> list[TestedPair]:
    """Tests of all pairs of metrics by an agreement; adds its bootstrap interval to the row of each metric."""
    measure = AGREEMENTS[agreement]
    resampling = bootstrap_agreement(measure, gold, values, groups)
    for row in rows:
        row["confidence_interval"] = list(resampling.interval(row["metric"]))
    # A two-sided value holds in both directions.
    p_values: dict[frozenset[str], float] = {}
    for name, rival in combinations(values, 2):
        p_values[frozenset((name, rival))] = permutation_test(measure, gold, values[name], values[rival], groups)
    of_metric = {row["metric"]: row[agreement] for row in rows}
    return [
        {
            "metric": name,
            "other": rival,
            "difference": of_metric[name] - of_metric[rival],
            "interval": list(resampling.interval(name, rival)),
            "share_higher": resampling.share_higher(name, rival),
            "williams_p_value": williams_test(gold, values[name], values[rival]),
            "permutation_p_value": p_values[frozenset((name, rival))],
            "meaning": "williams: one-sided, the first has the higher Pearson correlation; "
            f"the rest by {agreement}, permutation: two-sided",
        }
        for name, rival in permutations(values, 2)
    ]


def _work(request: CorrelateRequest) -> int:
    """Work of all agreements, rankings and tests of a request."""
    if request.spans is not None:
        return work_of_spans(request.spans)
    size, metrics = _size(request), len(request.metrics)
    pairs = pair_count(_groups(request)) if CALIBRATED in request.agreements or request.systems else 0
    of_agreements = {name: WORK_OF_AGREEMENT * size + WORK_OF_PAIR * pairs * (name == CALIBRATED) for name in request.agreements}
    work = metrics * sum(of_agreements.values())
    if request.systems:
        systems = len(set(request.systems))
        work += WORK_OF_WINS * pairs + WORK_OF_SWAPS * (metrics + 1) * len(set(request.groups or ())) * comb(systems, 2)
    if request.tests:
        first = request.agreements[0]
        draw = WORK_OF_PEARSON * size if first == "pearson" else of_agreements[first]
        work += draw * (SAMPLES * metrics + 2 * TRIALS * comb(metrics, 2))
    return work


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
    cost=lambda engine, request: Cost(Amount(_size(request)), _work(request)),
)
