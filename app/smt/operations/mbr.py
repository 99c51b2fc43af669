"""Minimum Bayes risk: for each segment, the translation that agrees most with the others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.errors import InputError
from app.metrics import Metric, metric_named
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, with_example
from app.operations.parts.about_models import Cautioned
from app.operations.parts.costs.alignment_work import work_of_meteor
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.work import neural_count
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import SystemName
from app.operations.parts.rounding import rounded
from app.operations.parts.scoring.loaded_metrics import scoring_metrics
from app.operations.score import MetricName
from app.running.journal import SILENT, Journal
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.mbr.decision import MbrDecisions, decide, parse_way
from app.smt.lists.mbr.probabilities import model_probabilities
from app.smt.operations.parts.n_best.chunks import amount_of_chunk, chunks_of_lists, lists_of_chunk
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    Lists,
    Sources,
    amount_of_hypotheses,
    check_n_best,
    texts_of_lists,
    work_of_pairs,
)
from app.smt.operations.parts.n_best.neural_work import check_neural_work, work_of_neural_pairs
from app.text.n_best import NBestLists
from app.text.reading.checking import check_segments
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists
from app.text.reading.n_best_lists.opening import lines_of_file

__all__ = ["MbrAnswer", "MbrRequest", "operation"]

# Fields of texts, which chunks of jobs have.
OF_TEXTS: Final = {"n_best", "systems", "samples", "sources"}
# Counting shared n-grams takes so much less than aligning the same texts.
WORK_SAVED: Final = 32
# Searching for shifts of words takes so many times as long as aligning sentences of usual length.
WORK_OF_SHIFTS: Final = 5


class MbrRequest(Body):
    """POST /v1/mbr: n-best lists or samples, or outputs of several systems."""

    model_config = with_example({"n_best": EXAMPLE_LISTS, "metric": "chrf", "probabilities": "model"})

    n_best: Lists | None = None
    systems: Annotated[
        dict[SystemName, list[str]] | None, Field(min_length=1, description="Outputs by system, in place of `n_best`")
    ] = None
    metric: Annotated[MetricName, Field(description="Metric of a candidate against another text as reference")] = "chrf"
    sources: Sources = None
    samples: Annotated[Lists | None, Field(description="Texts in place of references; the candidates themselves by default")] = None
    probabilities: Annotated[
        Literal["uniform", "model"], Field(description="Weights of references: equal, or the softmax of scale × score")
    ] = "uniform"
    scale: Annotated[float, Field(ge=0, le=1000, description="The inverse of the temperature")] = 1.0
    own: Annotated[bool, Field(description="Count a candidate as a reference of itself")] = True
    way: Annotated[
        str,
        Field(max_length=100, description="exact, counts, coarse|keep:10|by:chrf, or pruned|confidence:0.99|samples:500|seed:0"),
    ] = "exact"
    scores: Annotated[bool, Field(description="Add the expected score of every candidate to the answer")] = False


class MbrSegment(TypedDict):
    """The candidate that was chosen, counted from 0 in its list; null and without text where there are none."""

    chosen: int | None
    text: NotRequired[str]
    expected: NotRequired[float]
    system: NotRequired[str]
    scores: NotRequired[Annotated[list[float | None], Field(description="Null where a candidate was left out early")]]


class MbrSummary(Cautioned):
    """Method of expected scores, and the number of segments whose choice is not the first of their list.

    `cautions` concern neural metrics: their licence, and the number of comparisons of cut texts.
    """

    metric: str
    signature: str
    direction: str
    way: str
    candidates: int
    pairs: int
    moved: int


class MbrAnswer(MbrSummary):
    """Segments in the order of the request."""

    segments: list[MbrSegment]


def _answer(engine: Engine, request: MbrRequest) -> MbrAnswer:
    _check_neural(engine, request)
    metric = _metric(engine, request.metric, request.sources)
    rows, counts = _decided(
        metric, _lists(request), request.samples, request.sources, request.model_dump(exclude=OF_TEXTS), list(request.systems or ())
    )
    return {**_summary(metric, request.metric, request.way, [counts]), "segments": rows}


def _metric(engine: Engine, name: str, sources: Sequence[str] | None) -> Metric:
    """The metric with this name; InputError if it cannot compare translations."""
    metric = scoring_metrics(engine, [name], sources)[name]
    if not metric.reads_references:
        raise InputError("invalid-request", f"{name} reads no reference, so it cannot compare translations", ("metric",))
    return metric


def _lists(request: MbrRequest) -> NBestLists:
    if request.n_best is not None:
        return request.n_best
    return SystemOutputs(request.systems or {}).lists()


def _decided(
    metric: Metric,
    lists: NBestLists,
    samples: NBestLists | None,
    sources: Sequence[str] | None,
    params: Mapping[str, Any],
    systems: list[str],
    journal: Journal = SILENT,
) -> tuple[list[MbrSegment], dict[str, Any]]:
    """The segments' answers, and what is counted of them."""
    evidence = lists if samples is None else samples
    shares = model_probabilities(evidence.scores, evidence.offsets, params["scale"]) if params["probabilities"] == "model" else None
    decisions = decide(lists, metric, shares, samples, parse_way(params["way"]), params["own"], journal, sources)
    rows = [_row(lists, decisions, segment, systems, params["scores"]) for segment in range(len(lists))]
    moved_count = int((decisions.chosen > lists.offsets[:-1]).sum())
    counts = {"candidates": len(lists.scores), "pairs": decisions.pairs, "moved": moved_count}
    return rows, {**counts, "statistics": decisions.statistics.tolist()}


def _row(lists: NBestLists, decisions: MbrDecisions, segment: int, systems: list[str], scores: bool) -> MbrSegment:
    begin, end, h = int(lists.offsets[segment]), int(lists.offsets[segment + 1]), int(decisions.chosen[segment])
    if h < 0:
        return {"chosen": None}
    row: MbrSegment = {"chosen": h - begin, "text": lists.texts[h], "expected": rounded(float(decisions.expected[h]))}
    if systems:
        row["system"] = systems[h - begin]
    if scores:
        row["scores"] = [rounded(value) if np.isfinite(value) else None for value in decisions.expected[begin:end].tolist()]
    return row


def _summary(metric: Metric, name: str, way: str, counts: Iterable[Mapping[str, Any]]) -> MbrSummary:
    summary: Any = {"metric": name, "signature": metric.signature(1), "direction": metric.direction, "way": way}
    parts = list(counts)
    sums = [part["statistics"] for part in parts if part["statistics"]]
    if sums and (cautions := metric.cautions(np.sum(sums, 0)[None])):
        summary["cautions"] = cautions
    return {**summary, **{key: sum(part[key] for part in parts) for key in ("candidates", "pairs", "moved")}}  # type: ignore[typeddict-item]


def _check(request: MbrRequest, limits: RequestLimits) -> None:
    if (request.n_best is None) == (request.systems is None):
        raise InputError("invalid-request", "give n-best lists or the outputs of systems", ("n_best",))
    if request.systems is not None:
        check_lists("systems", request.systems, limits)
    lists = _lists(request)
    check_n_best(lists, limits, None, request.sources)
    if request.samples is not None:
        check_count(len(request.samples.scores), limits.segments, ("samples",))
        check_segments(request.samples.texts, limits.characters, ("samples",))
        if len(request.samples) != len(lists):
            detail = f"there are candidates of {len(lists)} segments, but samples of {len(request.samples)}"
            raise InputError("unequal-lengths", detail, ("samples",))
    if request.probabilities == "model" and request.systems is not None and request.samples is None:
        raise InputError("invalid-request", "outputs of systems have no scores to make probabilities of", ("probabilities",))
    parse_way(request.way)


def _cost(engine: Engine, request: MbrRequest) -> Cost:
    lists = _lists(request)
    neural = _neural_work(engine, request, lists)
    return Cost(amount_of_hypotheses(lists), _work_of(request, lists) if neural is None else neural)


def _neural_work(engine: Engine, request: MbrRequest, lists: NBestLists) -> int | None:
    """Work of comparing all pairs by a checkpoint; None for other metrics."""
    if not neural_count([request.metric]):
        return None
    checkpoint = engine.resources.checkpoints.usable.get(request.metric.partition(":")[2].partition("|")[0])
    way = parse_way(request.way)
    keep = way.settings["keep"] if way.name == "coarse" else None
    return work_of_neural_pairs(
        lists, request.samples, request.sources, checkpoint is not None and checkpoint.card.reads_apart, keep
    )


def _check_neural(engine: Engine, request: MbrRequest) -> None:
    """InputError if a checkpoint would compare pairs for days."""
    check_neural_work(_neural_work(engine, request, _lists(request)) or 0, "take way coarse, or shorter lists")


def _work_of(request: MbrRequest, lists: NBestLists) -> int:
    """Work of comparing each candidate with each reference of its list, in pairs of characters."""
    pairs = work_of_pairs(lists, request.samples)
    try:
        metric, way = metric_named(request.metric), parse_way(request.way)
    except InputError:
        # A trained one, or none: the engine tells.
        return pairs
    if metric.counting() is not None or way.name == "counts":
        return pairs // WORK_SAVED
    work = WORK_OF_SHIFTS * pairs if metric.name == "ter" else pairs
    samples = lists if request.samples is None else request.samples
    work += work_of_meteor([request.metric], zip(texts_of_lists(lists), texts_of_lists(samples), strict=False))
    if way.name != "coarse":
        return work
    share = way.settings["keep"] * len(lists) / max(1, len(lists.scores))
    return pairs // WORK_SAVED + int(work * min(1.0, share))


def _split(planning: Planning, request: MbrRequest) -> Plan:
    _check_neural(planning.engine, request)
    metric = _metric(planning.engine, request.metric, request.sources)
    if metric.needs_all_references:
        detail = f"{metric.name} weighs matches by all references at once, and a job works on parts of them; use POST /v1/mbr"
        raise InputError("invalid-job", detail, ("params", "metric"))
    params = {**request.model_dump(exclude=OF_TEXTS), "systems": list(request.systems or ())}
    samples = None if request.samples is None else request.samples.as_json()
    return Plan(
        "mbr", params, chunks_of_lists(_lists(request), planning.chunk_rows, {"samples": samples, "sources": request.sources})
    )


def _work(context: Context, chunk: Json) -> Output:
    params = context.params
    metric = _metric(context.engine, params["metric"], chunk.get("sources"))
    samples = NBestLists.from_json(chunk["samples"]) if "samples" in chunk else None
    rows, counts = _decided(metric, lists_of_chunk(chunk), samples, chunk.get("sources"), params, params["systems"], context)
    return {"rows": [dict(row) for row in rows], "carry": counts}


def _finish(context: Context, outputs: Iterable[Output]) -> MbrSummary:
    name = context.params["metric"]
    # Statistics are there already, so no metric looks at sources.
    return _summary(_metric(context.engine, name, ()), name, context.params["way"], [output["carry"] for output in outputs])


def _read_files(files: Mapping[str, bytes]) -> Json:
    """Candidates from files called ``n_best`` or ``system:NAME``, ``samples``, another n-best list, and ``source``.

    Each may be gzip.
    """
    lists: list[TextFile] = []
    systems: dict[str, list[str]] = {}
    fields: Json = {}
    for role, raw in sorted(files.items()):
        kind, _, name = role.partition(":")
        file = TextFile(role, raw)
        if kind == "n_best":
            lists.append(file)
        elif kind == "system" and name:
            systems[name] = list(lines_of_file(file))
        elif role == "samples":
            fields["samples"] = read_lists([file], merge=False).lists
        elif role == "source":
            fields["sources"] = list(lines_of_file(file))
        else:
            raise InputError("invalid-job", "files are called n_best or system:NAME, samples and source", (role,))
    if lists:
        fields["n_best"] = read_lists(lists, merge=len(lists) > 1).lists
    if systems:
        fields["systems"] = systems
    return fields


operation = Operation[MbrRequest, MbrAnswer](
    name="mbr",
    id="decideByBayesRisk",
    summary="For each segment, choose the translation that agrees most with the others, by any metric.",
    request=MbrRequest,
    answer_type=MbrAnswer,
    check=_check,
    answer=_answer,
    tag="tuning",
    scope="score",
    read_files=_read_files,
    steps=Steps(_split, _work, _finish, amount=amount_of_chunk),
    cost=_cost,
)
