"""Answer of a reranking: the best hypotheses of each list, and on request the changed choices."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.operations.operation import Json, Output
from app.operations.parts.rounding import rounded
from app.running.journal import SILENT, Journal
from app.smt.lists.reranking.ordering import moved
from app.smt.operations.rerank.measuring import ChoiceStatistics, MeasuredAnswer, measure_choices, measured_answer, metric_in
from app.smt.operations.rerank.order import Reranking, rerank_lists
from app.smt.operations.rerank.request import RerankRequest
from app.text.n_best import NBestLists

__all__ = ["RerankAnswer", "RerankSummary", "answer_reranking", "params_of", "rerank_part", "summarise"]

References = Mapping[str, Sequence[str]]

# Features that are named of each segment; what a thousand sparse ones add is in the scores.
MOVED_FEATURES_LIMIT: Final = 20


class RerankedHypothesis(TypedDict):
    """A hypothesis, `rank` being its place in the list that came, from 0.

    `contributions` are what its features add to `score`; `features` those that were computed; `expected` its expected metric score.
    """

    rank: int
    text: str
    score: NotRequired[float]
    contributions: NotRequired[dict[str, float]]
    features: NotRequired[dict[str, float]]
    expected: NotRequired[float]


class MovingFeature(TypedDict):
    """A feature, and what it adds to the score of the chosen hypothesis beyond what it adds to the first one's."""

    feature: str
    contribution: float


class RerankedSegment(TypedDict):
    """The best hypotheses of a list; none where it was empty.

    With `changes`, for lists with hypotheses: the decoder's `first` hypothesis, and the `chosen` one with its `place` in the
    list, from 1. `moved` are the features that moved it, the largest first, by the first weights if several vote. Scores are
    there with references.
    """

    source: NotRequired[str]
    references: NotRequired[list[str]]
    first: NotRequired[str]
    chosen: NotRequired[str]
    place: NotRequired[int]
    first_score: NotRequired[float]
    chosen_score: NotRequired[float]
    gain: NotRequired[Annotated[float, Field(description="Gain in score of the chosen hypothesis; below 0 if it is worse")]]
    first_expected: NotRequired[float]
    chosen_expected: NotRequired[float]
    moved: NotRequired[list[MovingFeature]]
    hypotheses: list[RerankedHypothesis]


class RerankSummary(TypedDict):
    """Summary of a job, whose result has its segments.

    `changed` is the number of lists that another hypothesis leads now, `mean_rank` the mean place, from 0, that the first had.
    `unused` are features that have weights but that neither lists nor `computed` have. `measured` is there with references.
    """

    lists: int
    changed: int
    mean_rank: float
    computed: list[str]
    unused: list[str]
    measured: NotRequired[MeasuredAnswer]


class RerankAnswer(RerankSummary):
    """The summary, and the reranked segments in the order of the request."""

    segments: list[RerankedSegment]


def params_of(request: RerankRequest) -> Json:
    """Parameters: all fields other than lists of texts, and the number of references."""
    params = request.model_dump(exclude={"n_best", "sources", "references"})
    return params if request.references is None else {**params, "reference_count": len(request.references)}


def answer_reranking(engine: Engine, request: RerankRequest) -> RerankAnswer:
    """The answer to a request."""
    params = params_of(request)
    output = rerank_part(engine, params, request.n_best, request.sources, request.references)
    segments: Any = output["rows"]
    return {**summarise(engine, params, [output]), "segments": segments}


def rerank_part(
    engine: Engine,
    params: Json,
    lists: NBestLists,
    sources: Sequence[str] | None,
    references: References | None,
    journal: Journal = SILENT,
) -> Output:
    """Rows of lists, and the statistics of their summary."""
    result = rerank_lists(engine, params, lists, sources, journal)
    ranks = result.ranks[result.best]
    carry: Json = {
        "lists": len(result.lists),
        "changed": int((ranks > 0).sum()),
        "computed": result.computed,
        "unused": result.unused_features,
        "ranks": int(ranks.sum()),
        "filled": len(ranks),
    }
    statistics = None
    if references is not None:
        (metric,) = engine.metrics([metric_in(params)]).values()
        statistics = measure_choices(metric, result, references)
        carry["measured"] = {"first": statistics.first.tolist(), "chosen": statistics.best.tolist()}
    return {"rows": [dict(row) for row in _segments(result, params, sources, references, statistics)], "carry": carry}


def summarise(engine: Engine, params: Json, outputs: Iterable[Output]) -> RerankSummary:
    """Summary of all lists, from the outputs of their parts."""
    totals = dict.fromkeys(("lists", "changed", "ranks", "filled"), 0)
    statistics: dict[str, list[list[float]]] = {"first": [], "chosen": []}
    names: Json = {"computed": [], "unused": []}
    for output in outputs:
        part = output["carry"]
        totals = {name: total + part[name] for name, total in totals.items()}
        names = {name: part[name] for name in names}
        for name, rows in part.get("measured", {}).items():
            statistics[name] += rows
    summary: RerankSummary = {
        "lists": totals["lists"],
        "changed": totals["changed"],
        "mean_rank": rounded(totals["ranks"] / max(totals["filled"], 1)),
        "computed": names["computed"],
        "unused": names["unused"],
    }
    # Jobs of earlier versions have no such parameters.
    count = params.get("reference_count")
    if count is not None:
        (metric,) = engine.metrics([metric_in(params)]).values()
        first, best = (np.array(statistics[name], np.float64) for name in ("first", "chosen"))
        summary["measured"] = measured_answer(ChoiceStatistics(metric, first, best), metric_in(params), count)
    return summary


def _segments(
    result: Reranking,
    params: Json,
    sources: Sequence[str] | None,
    references: References | None,
    statistics: ChoiceStatistics | None,
) -> list[RerankedSegment]:
    """A row for each list, with the members that `params` request."""
    changes: dict[int, Json] = {}
    if params.get("changes"):
        changes = dict(zip(result.nonempty.tolist(), _changes(result, sources, references), strict=True))
    if statistics is not None:
        for segment, before, after, gain in zip(
            result.nonempty.tolist(), *(row.tolist() for row in statistics.scores), strict=True
        ):
            scores = {"first_score": before, "chosen_score": after, "gain": gain}
            changes[segment] = {**changes.get(segment, {}), **scores}
    columns = [result.lists.columns(name)[0] for name in result.computed]
    rows: list[Any] = []
    for segment, (begin, end) in enumerate(pairwise(result.lists.offsets.tolist())):
        best = result.order[begin : min(end, begin + params["top"])].tolist()
        rows.append({**changes.get(segment, {}), "hypotheses": [_hypothesis(result, h, columns) for h in best]})
    return rows


def _hypothesis(result: Reranking, h: int, columns: Sequence[int]) -> RerankedHypothesis:
    new_order = result.new_order
    entry: RerankedHypothesis = {"rank": int(result.ranks[h]), "text": result.lists.texts[h]}
    if new_order is not None:
        entry["score"] = rounded(float(new_order.scores[h]))
        entry["contributions"] = {name: rounded(value) for name, value in new_order.contributions_of(h).items()}
    if result.computed:
        values = result.lists.features[h, columns].tolist()
        entry["features"] = {name: rounded(value) for name, value in zip(result.computed, values, strict=True)}
    if result.expected is not None:
        entry["expected"] = rounded(float(result.expected[h]))
    return entry


def _changes(result: Reranking, sources: Sequence[str] | None, references: References | None) -> Iterator[Json]:
    """Rows of lists with hypotheses, without scores."""
    first, best = result.first, result.best
    gaps = [[]] * len(first) if result.new_order is None else moved(result.new_order, best, first)
    for segment, first_h, best_h, gap in zip(result.nonempty.tolist(), first.tolist(), best.tolist(), gaps, strict=True):
        row: Json = {} if sources is None else {"source": sources[segment]}
        row["references"] = [texts[segment] for texts in (references or {}).values()]
        row |= {"first": result.lists.texts[first_h], "chosen": result.lists.texts[best_h], "place": int(result.ranks[best_h]) + 1}
        if result.expected is not None:
            row["first_expected"], row["chosen_expected"] = (rounded(float(result.expected[h])) for h in (first_h, best_h))
        row["moved"] = [{"feature": name, "contribution": float(f"{value:.6g}")} for name, value in gap[:MOVED_FEATURES_LIMIT]]
        yield row
