"""Scores of systems against references."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, RunSummary, Significance, SystemScore, check_aligned, drop_empty
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.amounts import amount_of_lists
from app.operations.parts.limits import Limits, check_count, check_lists
from app.operations.parts.names import SystemName
from app.operations.parts.stored_scores import StoredAnswer, StoredScores, beside_stored, check_stored, runs_of, stored_of
from app.operations.parts.work import work_of_lists, work_of_tests
from app.rates import Amount
from app.text.reading.lines import lines_of

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["MetricName", "ScoreAnswer", "ScoreRequest", "SignificanceRequest", "operation"]

MetricName = Annotated[str, Field(min_length=1, max_length=100, examples=["bleu", "simpbleu:PABC4", "bleu|tok:zh"])]


class SignificanceRequest(Body):
    """Intervals by bootstrap, and a paired test of every system against the baseline."""

    test: Literal["bootstrap", "randomisation"] = "bootstrap"
    samples: Annotated[int, Field(ge=100, le=10_000, description="Bootstrap resamples")] = 1000
    trials: Annotated[int, Field(ge=100, le=100_000, description="Trials of approximate randomisation")] = 10_000
    seed: Annotated[int, Field(ge=0, le=2**31)] = 12345
    baseline: Annotated[
        SystemName | None,
        Field(description="The system, or the system of `runs`, that others are compared with; the first otherwise"),
    ] = None
    stored: Annotated[StoredScores | None, Field(description="Scores that `store` answered once, as the baseline")] = None
    letters: Annotated[bool, Field(description="Test every two systems; those that share a letter do not differ at 0.05")] = False
    runs: Annotated[
        dict[SystemName, list[SystemName]] | None, Field(description="Systems by the names of their runs (optimiser instability)")
    ] = None


class ScoreRequest(Body):
    """POST /v1/score: named systems against named references, all of one length."""

    model_config = with_example(
        {"metrics": ["bleu", "chrf"], "systems": {"mine": ["The house is big."]}, "references": {"A": ["The house is large."]}}
    )

    metrics: Annotated[list[MetricName], Field(min_length=1, max_length=80)]
    systems: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    references: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    segments: Annotated[bool, Field(description="Whether to answer segment scores")] = False
    significance: SignificanceRequest | bool | None = None
    store: Annotated[
        SystemName | None, Field(description="Answer what a later comparison needs of this system, or system of `runs`: `stored`")
    ] = None
    empty: Annotated[
        Literal["score", "skip", "error"], Field(description="What to do with segments that are empty in any system or reference")
    ] = "score"


class MetricScore(TypedDict):
    """One system by one metric."""

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    range: Annotated[list[float | None], Field(description="Lowest and highest score, null where there is no bound")]
    signature: str
    confidence_interval: NotRequired[list[float]]
    bootstrap_mean: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    wins: NotRequired[int]
    losses: NotRequired[int]
    ties: NotRequired[int]
    letters: NotRequired[str]
    stored: NotRequired[Annotated[bool, Field(description="Whether these are the scores that were stored")]]
    segments: NotRequired[list[float]]


class TestAnswer(TypedDict):
    """How differences were tested."""

    name: str
    meaning: str
    seed: int
    resamples: int
    trials: NotRequired[int]


class RunAnswer(TypedDict):
    """A system over its runs."""

    system: str
    metric: str
    runs: list[str]
    mean: float
    selection_deviation: float
    optimiser_deviation: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    stored: NotRequired[bool]


class EmptyAnswer(TypedDict):
    """What was done with empty segments, and how many there are."""

    policy: str
    segments: int


class ScoreAnswer(TypedDict):
    """One entry of `metrics` per metric and system."""

    metrics: list[MetricScore]
    test: NotRequired[TestAnswer]
    runs: NotRequired[list[RunAnswer]]
    stored: NotRequired[StoredAnswer]
    empty: EmptyAnswer


Statistics = Sequence[Mapping[str, Float64s]]


def _answer(engine: "Engine", request: ScoreRequest) -> ScoreAnswer:
    metrics = engine.metrics(request.metrics)
    systems, references, count = drop_empty(request.systems, request.references, request.empty)
    statistics: Statistics = engine.statistics(metrics, systems, references)
    empty: EmptyAnswer = {"policy": request.empty, "segments": count}
    significance, stored = _significance(request), _stored(request)
    runs = (significance.runs if significance else None) or {}
    kept = None if request.store is None else stored_of(request.store, metrics, statistics, references, runs)
    earlier: frozenset[str] = frozenset()
    if significance is not None and stored is not None:
        statistics, significance, earlier = beside_stored(stored, metrics, statistics, references, significance)
    content = _content(engine, metrics, statistics, len(references), request.segments, significance, empty)
    for row in (*content["metrics"], *content.get("runs", ())):
        if row["system"] in earlier:
            row["stored"] = True
    return content if kept is None else {**content, "stored": kept}


def _significance(request: ScoreRequest) -> Significance | None:
    """The settings of resampling; ``true`` means the defaults."""
    chosen = request.significance
    if not chosen:
        return None
    return Significance() if chosen is True else Significance(**chosen.model_dump(exclude={"stored"}))


def _content(
    engine: "Engine",
    metrics: Mapping[str, Metric],
    statistics: Statistics,
    references: int,
    segments: bool,
    significance: Significance | None,
    empty: EmptyAnswer,
) -> ScoreAnswer:
    """Scores, and systems over their runs, from statistics."""
    scores = engine.scores(metrics, statistics, references, segments, significance)
    rows = [_row(score) for score in scores]
    if significance is None:
        return {"metrics": rows, "empty": empty}
    test = _test(significance)
    if not significance.runs:
        return {"metrics": rows, "test": test, "empty": empty}
    runs = [_run(summary) for summary in engine.runs(metrics, statistics, significance)]
    return {"metrics": rows, "test": test, "runs": runs, "empty": empty}


def _test(significance: Significance) -> TestAnswer:
    bootstrap = significance.test == "bootstrap"
    explained = (
        "p is how often resampled test sets give a difference this much larger than their mean (paired bootstrap)"
        if bootstrap
        else "p is how often swapping the systems' outputs at random gives a larger difference"
    )
    meaning = f"{explained}; corrected_p_value is Holm's, over all systems"
    name, seed = significance.test, significance.seed
    if bootstrap:
        return {"name": name, "resamples": significance.samples, "seed": seed, "meaning": meaning}
    return {"name": name, "trials": significance.trials, "resamples": significance.samples, "seed": seed, "meaning": meaning}


def _run(summary: RunSummary) -> RunAnswer:
    row: Any = {name: value for name, value in summary.__dict__.items() if value is not None}
    row["runs"] = list(summary.runs)
    return row  # type: ignore[no-any-return]


def _row(score: SystemScore) -> MetricScore:
    row: MetricScore = {
        "system": score.system,
        "metric": score.metric,
        "score": score.score,
        "unit": score.unit,
        "direction": score.direction,
        "range": list(score.range),
        "signature": score.signature,
    }
    if score.interval is not None:
        row["confidence_interval"] = [score.interval.low, score.interval.high]
        row["bootstrap_mean"] = score.interval.mean
    if score.against_baseline is not None:
        test = score.against_baseline
        row["difference"], row["p_value"], row["corrected_p_value"] = test.difference, test.p_value, test.corrected_p_value
        row["wins"], row["losses"], row["ties"] = test.wins, test.losses, test.ties
    if score.letters is not None:
        row["letters"] = score.letters
    if score.segments is not None:
        row["segments"] = list(score.segments)
    return row


def _read_files(files: Mapping[str, bytes]) -> Json:
    """Systems and references from files of lines called ``system:NAME`` and ``reference:NAME``."""
    named: dict[str, dict[str, list[str]]] = {"systems": {}, "references": {}}
    for role, raw in files.items():
        kind, _, name = role.partition(":")
        if kind not in ("system", "reference") or not name:
            raise InputError("invalid-job", "files of a score are called system:NAME and reference:NAME", (role,))
        named[f"{kind}s"][name] = lines_of(raw, kind)
    for kind in ("system", "reference"):
        if not named[f"{kind}s"]:
            raise InputError("invalid-job", f"a field {kind}:NAME is missing, a file of lines")
    return named


def _check(request: ScoreRequest, limits: Limits) -> None:
    stored, significance = _stored(request), _significance(request)
    size = check_lists("systems", request.systems, limits) + check_lists("references", request.references, limits)
    check_count(size + check_stored(stored, len(request.systems), limits), limits.scored, ("systems",))
    if stored is not None and significance is not None and significance.baseline is not None:
        detail = "name a baseline among the systems or give stored scores, not both"
        raise InputError("invalid-request", detail, ("significance", "stored"))


def _stored(request: ScoreRequest) -> StoredScores | None:
    return request.significance.stored if isinstance(request.significance, SignificanceRequest) else None


def _work_of(request: ScoreRequest) -> int:
    """That of comparing texts, and that of the tests; runs that were stored are systems to these."""
    significance, segments = _significance(request), max(map(len, request.references.values()))
    texts, count = work_of_lists(len(request.metrics), request.systems, request.references), runs_of(_stored(request))
    return texts + (work_of_tests(len(request.metrics), len(request.systems), segments, significance, count) if significance else 0)


def _split(planning: Planning, request: ScoreRequest) -> Plan:
    _check_not_stored(request)
    systems, references, empty = drop_empty(request.systems, request.references, request.empty)
    check_aligned(systems, references)
    significance = _significance(request)
    if significance is not None:
        _check_names(significance, request.systems)
    for place, metric in enumerate(planning.engine.metrics(request.metrics).values()):
        if metric.needs_all_references:
            raise InputError(
                "invalid-job",
                f"{metric.name} weighs matches by the whole reference corpus, and a job works on parts of it; use POST /v1/score",
                ("params", "metrics", place),
            )
    params = {
        **request.model_dump(exclude={"systems", "references", "significance", "empty", "store"}),
        "significance": significance and significance.__dict__,
        "reference_count": len(references),
        "empty": {"policy": request.empty, "segments": empty},
    }
    return Plan("score", params, cut({"systems": systems, "references": references}, planning.chunk_rows))


def _check_not_stored(request: ScoreRequest) -> None:
    where = ("store",) if request.store is not None else ("significance", "stored")
    if request.store is not None or _stored(request) is not None:
        raise InputError("invalid-job", "scores are stored, and compared with stored ones, by POST /v1/score", ("params", *where))


def _check_names(significance: Significance, systems: Mapping[str, object]) -> None:
    """InputError, before any work, where what is to be compared is not there."""
    if significance.baseline is not None and significance.baseline not in {*systems, *(significance.runs or ())}:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
    members = [member for runs in (significance.runs or {}).values() for member in runs]
    if any(member not in systems for member in members) or len(set(members)) < len(members):
        raise InputError("invalid-request", "runs are names of the systems, each under one system", ("significance", "runs"))


def _work(context: Context, chunk: Json) -> Output:
    engine = context.engine
    statistics = engine.statistics(engine.metrics(context.params["metrics"]), chunk["systems"], chunk["references"])
    rows = _texts(chunk) if context.params.get("segments") else []
    return {"rows": rows, "carry": [{name: rows.tolist() for name, rows in of_metric.items()} for of_metric in statistics]}


def _texts(chunk: Json) -> list[Json]:
    """What was compared in each segment: whoever reads scores of segments later, or elsewhere, has no files beside them."""
    systems, references = (_by_segment(chunk[side]) for side in ("systems", "references"))
    return [{"systems": one, "references": other} for one, other in zip(systems, references, strict=True)]


def _by_segment(named: Mapping[str, Sequence[str]]) -> Iterable[dict[str, str]]:
    return (dict(zip(named, texts, strict=True)) for texts in zip(*named.values(), strict=True))


def _amount_of_chunk(chunk: Json) -> Amount:
    return amount_of_lists(chunk["systems"].values())


def _finish(context: Context, outputs: Iterable[Output]) -> ScoreAnswer:
    params = context.params
    gathered: list[dict[str, list[Any]]] = [{} for _ in params["metrics"]]
    for output in outputs:
        for together, part in zip(gathered, output["carry"], strict=True):
            for name, rows in part.items():
                together.setdefault(name, []).extend(rows)
    statistics = [{name: np.array(rows, np.float64) for name, rows in of_metric.items()} for of_metric in gathered]
    significance = Significance(**params["significance"]) if params.get("significance") else None
    metrics = context.engine.metrics(params["metrics"])
    return _content(
        context.engine, metrics, statistics, params["reference_count"], params.get("segments", False), significance, params["empty"]
    )


operation = Operation(
    name="score",
    summary="Scores of named systems against named references.",
    request=ScoreRequest,
    answer_type=ScoreAnswer,
    check=_check,
    answer=_answer,
    tag="score",
    scope="score",
    read_files=_read_files,
    steps=Steps(_split, _work, _finish, rows="metrics", rows_in_summary=True, amount=_amount_of_chunk),
    work=_work_of,
    amount=lambda request: amount_of_lists(request.systems.values()),
)
