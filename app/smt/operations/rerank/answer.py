"""Answer of a reranking: the best hypotheses of each list, and on request the changed choices."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.operations.operation import Json
from app.operations.parts.rounding import rounded
from app.smt.lists.reranking.ordering import moved
from app.smt.operations.rerank.measuring import Measured, MeasuredAnswer, measure_choices, measured_answer, metric_in
from app.smt.operations.rerank.order import Reranked, reranked
from app.smt.operations.rerank.request import RerankRequest

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["RerankAnswer", "RerankSummary", "answer_reranking", "measured_in", "params_of", "segments_of"]

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
    """Lists in the order of the request."""

    segments: list[RerankedSegment]


def params_of(request: RerankRequest) -> Json:
    """Parameters: all fields other than lists of texts."""
    return request.model_dump(exclude={"n_best", "sources", "references"})


def answer_reranking(engine: "Engine", request: RerankRequest) -> RerankAnswer:
    """The answer to a request."""
    params = params_of(request)
    result = reranked(engine, params, request.n_best, request.sources)
    ranks = result.ranks[result.chosen]
    summary: RerankSummary = {
        "lists": len(result.lists),
        "changed": int((ranks > 0).sum()),
        "mean_rank": rounded(float(ranks.sum()) / max(len(ranks), 1)),
        "computed": result.computed,
        "unused": result.unused,
    }
    references, gains = request.references, measured_in(engine, params, result, request.references)
    if references is not None and gains is not None:
        summary["measured"] = measured_answer(gains, metric_in(params), len(references))
    return {**summary, "segments": segments_of(result, params, request.sources, references, gains)}


def measured_in(engine: "Engine", params: Json, made: Reranked, references: References | None) -> Measured | None:
    """Comparison of first and chosen hypotheses, if there are references."""
    if references is None:
        return None
    (metric,) = engine.metrics([metric_in(params)]).values()
    return measure_choices(metric, made, references)


def segments_of(
    made: Reranked, params: Json, sources: Sequence[str] | None, references: References | None, measured: Measured | None
) -> list[RerankedSegment]:
    """A row for each list, with as much of it as `params` ask for."""
    changes: dict[int, Json] = {}
    if params.get("changes"):
        changes = dict(zip(made.filled.tolist(), _changes(made, sources, references), strict=True))
    if measured is not None:
        for segment, before, after, gain in zip(made.filled.tolist(), *(row.tolist() for row in measured.scores), strict=True):
            scores = {"first_score": before, "chosen_score": after, "gain": gain}
            changes[segment] = {**changes.get(segment, {}), **scores}
    columns = [made.lists.columns(name)[0] for name in made.computed]
    rows: list[Any] = []
    for segment, (begin, end) in enumerate(pairwise(made.lists.offsets.tolist())):
        best = made.order[begin : min(end, begin + params["top"])].tolist()
        rows.append({**changes.get(segment, {}), "hypotheses": [_hypothesis(made, h, columns) for h in best]})
    return rows


def _hypothesis(result: Reranked, h: int, columns: Sequence[int]) -> RerankedHypothesis:
    new_order = result.ordered
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


def _changes(result: Reranked, sources: Sequence[str] | None, references: References | None) -> Iterator[Json]:
    """Rows of lists with hypotheses, without scores."""
    first, best = result.first, result.chosen
    gaps = [[]] * len(first) if result.ordered is None else moved(result.ordered, best, first)
    for segment, first_h, best_h, gap in zip(result.filled.tolist(), first.tolist(), best.tolist(), gaps, strict=True):
        row: Json = {} if sources is None else {"source": sources[segment]}
        row["references"] = [texts[segment] for texts in (references or {}).values()]
        row |= {"first": result.lists.texts[first_h], "chosen": result.lists.texts[best_h], "place": int(result.ranks[best_h]) + 1}
        if result.expected is not None:
            row["first_expected"], row["chosen_expected"] = (rounded(float(result.expected[h])) for h in (first_h, best_h))
        row["moved"] = [{"feature": name, "contribution": float(f"{value:.6g}")} for name, value in gap[:MOVED_FEATURES_LIMIT]]
        yield row
