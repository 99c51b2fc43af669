"""Scores of systems against references."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, Significance, run_summaries, scores_of_statistics, segment_statistics
from app.metrics.analysis.places import place_counts
from app.metrics.registry import OUTSIDE, TERMS
from app.operations.glossary import GlossaryField, requested_glossary
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.costs.alignment_work import work_of_meteor_lists
from app.operations.parts.costs.cost import Cost, amount_of_lists
from app.operations.parts.costs.work import neural_count, work_of_lists, work_of_neural, work_of_tests
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import PairName, SystemName
from app.operations.parts.scoring.loaded_metrics import scoring_metrics
from app.operations.parts.scoring.score_rows import MetricScore, RunAnswer, TestAnswer, row_of, rows_of_systems, run_of, test_of
from app.operations.parts.scoring.scored_texts import ScoredTexts, scored_texts, texts_by_segment
from app.operations.parts.scoring.stored_scores import StoredAnswer, StoredScores, beside_stored, check_stored, runs_of, stored_of
from app.operations.parts.scoring.verdicts import Verdict, verdicts_on_scores
from app.running.rates import Amount
from app.text.languages import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import lines_of

if TYPE_CHECKING:
    from app.engine import Engine
    from app.resources.terminology import Terminology

__all__ = ["MetricName", "ScoreAnswer", "ScoreRequest", "SignificanceRequest", "answer_of_statistics", "operation"]

MetricName = Annotated[str, Field(min_length=1, max_length=200, examples=["bleu", "simpbleu:PABC4", "bleu|tok:zh"])]


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
    letters: Annotated[bool, Field(description="Test every two systems; those that share a letter do not differ")] = False
    alpha: Annotated[FiniteFloat, Field(ge=0, le=1, description="Level of significance of verdicts and letters")] = 0.05
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
    references: Annotated[
        dict[SystemName, list[str]], Field(description="References by name; empty if every metric is one without references")
    ]
    sources: Annotated[
        list[str] | None, Field(description="Source of each segment, which `terms` and some neural metrics compare with")
    ] = None
    glossary: Annotated[GlossaryField, Field(description="Terms of the metric `terms`, or the text of a glossary")] | None = None
    language_pair: Annotated[PairName | None, Field(description="Languages of `terms`, as en-de")] = None
    segments: Annotated[bool, Field(description="Add segment scores to the answer")] = False
    significance: SignificanceRequest | bool | None = None
    store: Annotated[
        SystemName | None, Field(description="Answer what a later comparison needs of this system, or system of `runs`: `stored`")
    ] = None
    empty: Annotated[
        Literal["score", "skip", "error"], Field(description="Treatment of segments that are empty in any system or reference")
    ] = "score"


class EmptyAnswer(TypedDict):
    """Treatment and number of empty segments."""

    policy: str
    segments: int


class ScoreAnswer(TypedDict):
    """One entry of `metrics` per metric and system."""

    metrics: list[MetricScore]
    test: NotRequired[TestAnswer]
    runs: NotRequired[list[RunAnswer]]
    verdicts: NotRequired[
        Annotated[list[Verdict], Field(description="One per metric and system, if systems are tested against a baseline")]
    ]
    stored: NotRequired[StoredAnswer]
    empty: EmptyAnswer
    cautions: NotRequired[Annotated[list[str], Field(description="Cautions about neural metrics: licences, truncated texts")]]


Statistics = Sequence[Mapping[str, Float64s]]


def _answer(engine: "Engine", request: ScoreRequest) -> ScoreAnswer:
    metrics, texts = _metrics_and_texts(engine, request)
    systems, references = texts.systems, texts.references
    statistics: Statistics = segment_statistics(metrics, systems, references)
    empty: EmptyAnswer = {"policy": request.empty, "segments": texts.empty}
    significance, stored = _significance(request), _stored(request)
    runs = (significance.runs if significance else None) or {}
    stored_scores = None if request.store is None else stored_of(request.store, metrics, statistics, references, runs)
    earlier: frozenset[str] = frozenset()
    if significance is not None and stored is not None:
        statistics, significance, earlier = beside_stored(stored, metrics, statistics, references, significance)
    content = answer_of_statistics(metrics, statistics, len(references), request.segments, significance, empty)
    for row in (*content["metrics"], *content.get("runs", ())):
        if row["system"] in earlier:
            row["stored"] = True
    return content if stored_scores is None else {**content, "stored": stored_scores}


def _metrics_and_texts(engine: "Engine", request: ScoreRequest) -> tuple[dict[str, Metric], ScoredTexts]:
    """Metrics with their resources, and texts of one length without skipped segments."""
    texts = scored_texts(
        request.systems,
        request.references,
        request.sources,
        request.empty,
        scoring_metrics(engine, request.metrics, request.sources, _terminology(request)),
    )
    return scoring_metrics(engine, request.metrics, texts.sources, _terminology(request)), texts


def _terminology(request: ScoreRequest) -> "Terminology | None":
    """The glossary of the metric `terms`; InputError if a part of it is missing, or if no metric looks at it."""
    fields = {"glossary": request.glossary, "language_pair": request.language_pair}
    names = [name for name, value in fields.items() if value is not None]
    if TERMS not in request.metrics:
        if names:
            raise InputError("invalid-request", "only the metric terms looks at this; add it to the metrics", (names[0],))
        return None
    if request.language_pair is None or request.glossary is None:
        missing = next(name for name, value in fields.items() if value is None)
        raise InputError("invalid-request", OUTSIDE[TERMS], (missing,))
    from app.resources.terminology import terminology_of

    pair = LanguagePair.parse(request.language_pair)
    glossary = requested_glossary(request.glossary, pair.source)
    assert glossary is not None
    return terminology_of(glossary, pair)


def _significance(request: ScoreRequest) -> Significance | None:
    """The settings of resampling; ``true`` means the defaults."""
    requested_significance = request.significance
    if not requested_significance:
        return None
    return (
        Significance() if requested_significance is True else Significance(**requested_significance.model_dump(exclude={"stored"}))
    )


def answer_of_statistics(
    metrics: Mapping[str, Metric],
    statistics: Statistics,
    references: int,
    segments: bool,
    significance: Significance | None,
    empty: EmptyAnswer,
    segment_count: int | None = None,
) -> ScoreAnswer:
    """Scores, and systems over their runs, from statistics; `segment_count` is that of verdicts if rows are blocks of segments."""
    scores = scores_of_statistics(metrics, statistics, references, segments, significance)
    rows = [row_of(score) for score in scores]
    for name, metric in metrics.items() if segments else ():
        of_metric = [row for row in rows if row["metric"] == name]
        counts = place_counts(np.array([row["segments"] for row in of_metric], np.float64), metric.higher_is_better)
        for row, places in zip(of_metric, counts.tolist(), strict=True):
            row["places"] = places
    content: ScoreAnswer = {"metrics": rows, "empty": empty}
    if significance is not None:
        runs = [run_of(summary) for summary in run_summaries(metrics, statistics, significance)]
        count = len(next(iter(statistics[0].values()))) if segment_count is None else segment_count
        verdicts = verdicts_on_scores(rows_of_systems(rows, runs), count, significance.alpha)
        test = test_of(significance)
        content = {"metrics": rows, "test": test, "empty": empty}
        if runs:
            content = {"metrics": rows, "test": test, "runs": runs, "empty": empty}
        if verdicts:
            content["verdicts"] = verdicts
    cautions = [
        caution
        for metric, of_systems in zip(metrics.values(), statistics, strict=True)
        for caution in metric.cautions(np.concatenate(list(of_systems.values())))
    ]
    if cautions:
        content["cautions"] = cautions
    return content


def _read_files(files: Mapping[str, bytes]) -> Json:
    """Systems, references and sources from files of lines called ``system:NAME``, ``reference:NAME`` and ``source``."""
    texts_by_role: dict[str, dict[str, list[str]]] = {"systems": {}, "references": {}}
    sources: dict[str, list[str]] = {}
    for role, raw in files.items():
        kind, _, name = role.partition(":")
        if role == "source":
            sources["sources"] = lines_of(raw, role)
            continue
        if kind not in ("system", "reference") or not name:
            raise InputError("invalid-job", "files of a score are called system:NAME, reference:NAME and source", (role,))
        texts_by_role[f"{kind}s"][name] = lines_of(raw, kind)
    for kind in ("system", *(() if sources else ("reference",))):
        if not texts_by_role[f"{kind}s"]:
            raise InputError("invalid-job", f"a field {kind}:NAME is missing, a file of lines")
    return {**texts_by_role, **sources}


def _check(request: ScoreRequest, limits: RequestLimits) -> None:
    _terminology(request)
    stored, significance = _stored(request), _significance(request)
    size = check_lists("systems", request.systems, limits) + check_lists("references", request.references, limits)
    if request.sources is not None:
        check_segments(request.sources, limits.characters, ("sources",))
        size += len(request.sources)
    if (request.store is not None or stored is not None) and neural_count(request.metrics):
        raise InputError("invalid-request", "scores of neural metrics are not stored for later comparisons", ("metrics",))
    check_count(size + check_stored(stored, len(request.systems), limits), limits.scored, ("systems",))
    if stored is not None and significance is not None and significance.baseline is not None:
        detail = "name a baseline among the systems or give stored scores, not both"
        raise InputError("invalid-request", detail, ("significance", "stored"))


def _stored(request: ScoreRequest) -> StoredScores | None:
    return request.significance.stored if isinstance(request.significance, SignificanceRequest) else None


def _work_of(request: ScoreRequest) -> int:
    """Work of comparing texts and of tests, in which stored runs count as systems."""
    significance, segments = _significance(request), max(map(len, chain(request.systems.values(), request.references.values())))
    texts, count = work_of_lists(len(request.metrics), request.systems, request.references), runs_of(_stored(request))
    texts += work_of_meteor_lists(request.metrics, request.systems, request.references)
    texts += work_of_neural(request.metrics, request.systems, request.references, request.sources)
    return texts + (work_of_tests(len(request.metrics), len(request.systems), segments, significance, count) if significance else 0)


def _split(planning: Planning, request: ScoreRequest) -> Plan:
    _check_not_stored(request)
    metrics, texts = _metrics_and_texts(planning.engine, request)
    significance = _significance(request)
    if significance is not None:
        _check_names(significance, request.systems)
    for place, metric in enumerate(metrics.values()):
        if metric.needs_all_references:
            raise InputError(
                "invalid-job",
                f"{metric.name} weighs matches by the whole reference corpus, and a job works on parts of it; use POST /v1/score",
                ("params", "metrics", place),
            )
    params = {
        **request.model_dump(exclude={"systems", "references", "sources", "significance", "empty", "store"}),
        "significance": significance and significance.__dict__,
        "reference_count": len(texts.references),
        "empty": {"policy": request.empty, "segments": texts.empty},
    }
    columns = {"systems": texts.systems, "references": texts.references, "sources": texts.sources}
    return Plan("score", params, cut(columns, planning.chunk_rows))


def _check_not_stored(request: ScoreRequest) -> None:
    place_of_scores = ("store",) if request.store is not None else ("significance", "stored")
    if request.store is not None or _stored(request) is not None:
        raise InputError(
            "invalid-job", "scores are stored, and compared with stored ones, by POST /v1/score", ("params", *place_of_scores)
        )


def _check_names(significance: Significance, systems: Mapping[str, object]) -> None:
    """InputError, before any work, where what is to be compared is not there."""
    if significance.baseline is not None and significance.baseline not in {*systems, *(significance.runs or ())}:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
    members = [member for runs in (significance.runs or {}).values() for member in runs]
    if any(member not in systems for member in members) or len(set(members)) < len(members):
        raise InputError("invalid-request", "runs are names of the systems, each under one system", ("significance", "runs"))


def _work(context: Context, chunk: Json) -> Output:
    engine = context.engine
    metrics = scoring_metrics(engine, context.params["metrics"], chunk.get("sources"), _terminology_of_job(context.params))
    statistics = segment_statistics(metrics, chunk["systems"], chunk["references"])
    rows = texts_by_segment(chunk) if context.params.get("segments") else []
    return {"rows": rows, "carry": [{name: rows.tolist() for name, rows in of_metric.items()} for of_metric in statistics]}


def _terminology_of_job(params: Mapping[str, Any]) -> "Terminology | None":
    fields = {name: params.get(name) for name in ("metrics", "glossary", "language_pair")}
    if params.get("glossary") is None:
        return None
    return _terminology(ScoreRequest.model_validate({"systems": {"a": []}, "references": {}, **fields}))


def _amount_of_chunk(chunk: Json) -> Amount:
    return amount_of_lists(chunk["systems"].values())


def _finish(context: Context, outputs: Iterable[Output]) -> ScoreAnswer:
    params = context.params
    gathered_rows: list[dict[str, list[Any]]] = [{} for _ in params["metrics"]]
    for output in outputs:
        for rows_by_system, part in zip(gathered_rows, output["carry"], strict=True):
            for name, rows in part.items():
                rows_by_system.setdefault(name, []).extend(rows)
    statistics = [{name: np.array(rows, np.float64) for name, rows in of_metric.items()} for of_metric in gathered_rows]
    significance = Significance(**params["significance"]) if params.get("significance") else None
    # Statistics are there already, so no metric looks at sources.
    metrics = scoring_metrics(context.engine, params["metrics"], (), _terminology_of_job(params))
    return answer_of_statistics(
        metrics, statistics, params["reference_count"], params.get("segments", False), significance, params["empty"]
    )


operation = Operation(
    name="score",
    id="scoreOutputs",
    summary="Scores of named systems against named references.",
    request=ScoreRequest,
    answer_type=ScoreAnswer,
    check=_check,
    answer=_answer,
    tag="score",
    scope="score",
    read_files=_read_files,
    steps=Steps(_split, _work, _finish, rows="metrics", rows_in_summary=True, amount=_amount_of_chunk),
    cost=lambda engine, request: Cost(amount_of_lists(request.systems.values()), _work_of(request)),
)
