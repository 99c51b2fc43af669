"""N-best lists in the order of weights, with more features than the decoder had."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, NotRequired

import numpy as np
from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, with_example
from app.operations.parts.about_models import rounded
from app.operations.parts.limits import Limits
from app.operations.parts.n_best import (
    EXAMPLE_LISTS,
    NBestRequest,
    amount_of_chunk,
    amount_of_hypotheses,
    check_n_best,
    chunks_of_lists,
    lists_of_chunk,
    read_list_files,
    work_of_hypotheses,
    work_of_pairs,
)
from app.operations.parts.n_best.quality_columns import QUALITY, quality_features
from app.operations.parts.names import LabelName, Language, ModelId
from app.text import LanguagePair
from app.text.n_best import NBestLists

if TYPE_CHECKING:
    from app.engine import Engine
    from app.ranking.reranking import RerankingResources

__all__ = ["RerankAnswer", "RerankRequest", "listed_with_features", "operation"]

MOST_FEATURES: Final = 100
MOST_SHOWN: Final = 1000
QUALITY_SET: Final = "quality"

WeightsByName = Annotated[
    dict[str, Annotated[list[FiniteFloat], Field(min_length=1, max_length=1000)]], Field(min_length=1, max_length=100_000)
]

FeatureSpecs = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=MOST_FEATURES)]
ABOUT_OPTIMA: Final = "More weights: all of them vote, and of equally many votes the first ones decide"
ABOUT_FEATURES: Final = "Features to compute, as lm3 or np|order:3, or sets of them: thesis, noisy-channel, quality"


class RerankRequest(NBestRequest):
    """POST /v1/rerank."""

    model_config = with_example({"n_best": EXAMPLE_LISTS, "weights": {"lm": [0.5], "tm": [0.2, 0.3]}})

    weights: Annotated[WeightsByName | None, Field(description="By feature; without them lists keep their order")] = None
    optima: Annotated[list[WeightsByName], Field(max_length=50, description=ABOUT_OPTIMA)] = Field(default_factory=list)
    features: Annotated[FeatureSpecs, Field(description=ABOUT_FEATURES)] = Field(default_factory=list)
    source_language: Annotated[Language | None, Field(description="Whose resources and predictors features ask")] = None
    target_language: Language | None = None
    model: ModelId | None = None
    label: LabelName | None = None
    distinct: Annotated[bool, Field(description="Keep the first hypothesis of each text only")] = False
    mbr: Annotated[str | None, Field(max_length=200, description="A metric: choose by its expected score under the weights")] = None
    scale: Annotated[float, Field(ge=0, le=1000, description="What makes weighted sums logs of probabilities")] = 1.0
    top: Annotated[int, Field(ge=1, le=MOST_SHOWN, description="Hypotheses of each list in the answer")] = 1


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


class RerankedSegment(TypedDict):
    """The best hypotheses of a list; none where it was empty."""

    hypotheses: list[RerankedHypothesis]


class RerankAnswer(TypedDict):
    """Lists in the order of the request.

    `changed` is the number of those that another hypothesis leads now, `mean_rank` the mean place, from 0, that the first had.
    `unused` are features that have weights but that neither lists nor `computed` have.
    """

    lists: int
    changed: int
    mean_rank: float
    computed: list[str]
    unused: list[str]
    segments: list[RerankedSegment]


class RerankSummary(TypedDict):
    """The same without segments, which stand in the job's result."""

    lists: int
    changed: int
    mean_rank: float
    computed: list[str]
    unused: list[str]


def _check(request: RerankRequest, limits: Limits) -> None:
    from app.metrics import metric_named
    from app.ranking.reranking import column_named

    check_n_best(request.n_best, limits, sources=request.sources)
    for spec in _specs(request.features):
        if spec not in QUALITY:
            column_named(spec)
    if request.mbr is not None:
        metric_named(request.mbr)
    if request.weights is None and (request.mbr is not None or request.optima):
        raise InputError("missing-weights", "expected scores and votes need weights", ("weights",))
    if (request.source_language is None) != (request.target_language is None):
        raise InputError("invalid-request", "name both languages or none", ("source_language",))


def _work_of(request: RerankRequest) -> int:
    """Features of every hypothesis, and every hypothesis beside every other one of its list where gains are expected."""
    work = work_of_hypotheses(request.n_best) * (1 + len(request.features))
    named = [*_specs(request.features), *(request.weights or {}), *(name for other in request.optima for name in other)]
    expected = len({name for name in named if name.split("|")[0] == "mbr"}) + (request.mbr is not None)
    return work + expected * work_of_pairs(request.n_best)


def _specs(features: Sequence[str]) -> list[str]:
    """Features with the names of sets put asunder."""
    from app.ranking.reranking import specs_of

    return [spec for name in specs_of(features) for spec in (QUALITY if name == QUALITY_SET else (name,))]


def _is_computable(name: str) -> bool:
    from app.ranking.reranking import COLUMNS

    return name.split("|")[0] in COLUMNS or name in QUALITY


def _params(request: RerankRequest) -> Json:
    return request.model_dump(exclude={"n_best", "sources"})


def _loaded(engine: "Engine", pair: LanguagePair | None) -> "RerankingResources":
    """What the engine has of a pair that features of hypotheses may ask."""
    from app.ranking.reranking import RerankingResources

    if pair is None:
        return RerankingResources()
    loaded = engine.pair_resources(pair)
    models = {} if loaded.target_model is None else {loaded.target_model.order: loaded.target_model}
    tags = {} if loaded.target_tag_model is None else {loaded.target_tag_model.order: loaded.target_tag_model}
    return RerankingResources(models, tags, loaded.target_tagger, loaded.lexical_table, loaded.reverse_table)


def listed_with_features(
    engine: "Engine", params: Json, lists: NBestLists, sources: Sequence[str] | None
) -> tuple[NBestLists, list[str]]:
    """The lists with what `params` ask for, and with what has weights and can be computed; and the names of all that was computed.

    InputError where sources, languages or resources that this needs are not there.
    """
    from app.ranking.reranking import with_features, with_values

    wanted = _specs(params["features"])
    weighted = params["weights"] or {}
    wanted += [name for name in weighted if name not in wanted and name not in lists.names and _is_computable(name)]
    pair = None
    if params["source_language"] is not None:
        tags = LanguagePair(params["source_language"], params["target_language"])
        pair = tags.nearest(engine.resources.pairs) or tags
    judged = [spec for spec in wanted if spec in QUALITY]
    others = [spec for spec in wanted if spec not in QUALITY]
    if others:
        lists = with_features(lists, others, _loaded(engine, pair), sources)
    if judged:
        if pair is None:
            raise InputError("invalid-request", "predicted quality needs the languages", ("source_language",))
        values = quality_features(engine, pair, lists, sources, judged, params["model"], params["label"])
        lists = with_values(lists, judged, values)
    return lists, wanted


def _reranked(engine: "Engine", params: Json, lists: NBestLists, sources: Sequence[str] | None) -> RerankAnswer:
    from app.metrics import metric_named
    from app.ranking.mbr import decide
    from app.ranking.reranking import distinct_places, kept, of_votes, reorder, unused_weights
    from app.ranking.reranking.posteriors import probabilities
    from app.tuning import Weights

    places = distinct_places(lists) if params["distinct"] else np.arange(len(lists.scores))
    ranks = places - lists.offsets[:-1][lists.segments[places]]
    lists, computed = listed_with_features(engine, params, kept(lists, places) if params["distinct"] else lists, sources)
    # What was computed only to be looked at weighs nothing.
    silent = {name: (0.0,) for name in lists.names if _is_computable(name)}
    optima = [Weights({**silent, **{name: tuple(row) for name, row in values.items()}}) for values in _optima(params)]
    expected, ordered = None, None
    order = np.arange(len(lists.scores))
    if optima:
        ordered = of_votes(lists, optima) if len(optima) > 1 else reorder(lists, optima[0])
        order = ordered.order
        if params["mbr"] is not None:
            metric = metric_named(params["mbr"])
            shares = probabilities(ordered.scores, lists.offsets, params["scale"])
            expected = decide(lists, metric, shares).expected
            order = np.lexsort((-ordered.scores, -expected if metric.higher_is_better else expected, lists.segments))
    segments: list[RerankedSegment] = []
    columns = [lists.columns(name)[0] for name in computed]
    for begin, end in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        hypotheses: list[RerankedHypothesis] = []
        for h in order[begin : min(end, begin + params["top"])].tolist():
            entry: RerankedHypothesis = {"rank": int(ranks[h]), "text": lists.texts[h]}
            if ordered is not None:
                parts = zip(ordered.names, ordered.contributions[h].tolist(), strict=True)
                entry["score"] = rounded(float(ordered.scores[h]))
                entry["contributions"] = {name: rounded(value) for name, value in parts}
            if computed:
                values = lists.features[h, columns].tolist()
                entry["features"] = {name: rounded(value) for name, value in zip(computed, values, strict=True)}
            if expected is not None:
                entry["expected"] = rounded(float(expected[h]))
            hypotheses.append(entry)
        segments.append({"hypotheses": hypotheses})
    unused = unused_weights(lists, optima[0]) if optima else []
    leading = [row["hypotheses"][0]["rank"] for row in segments if row["hypotheses"]]
    return {
        "lists": len(segments),
        "changed": sum(rank > 0 for rank in leading),
        "mean_rank": rounded(sum(leading) / max(len(leading), 1)),
        "computed": computed,
        "unused": unused,
        "segments": segments,
    }


def _optima(params: Json) -> list[Mapping[str, Sequence[float]]]:
    return [] if params["weights"] is None else [params["weights"], *params["optima"]]


def _answer(engine: "Engine", request: RerankRequest) -> RerankAnswer:
    return _reranked(engine, _params(request), request.n_best, request.sources)


def _split(planning: Planning, request: RerankRequest) -> Plan:
    columns = None if request.sources is None else {"sources": request.sources}
    return Plan("rerank", _params(request), chunks_of_lists(request.n_best, planning.chunk_rows, columns))


def _work(context: Context, chunk: Json) -> Output:
    answer = _reranked(context.engine, context.params, lists_of_chunk(chunk), chunk.get("sources"))
    segments = answer["segments"]
    ranks = [row["hypotheses"][0]["rank"] for row in segments if row["hypotheses"]]
    rows: list[Json] = [{"hypotheses": row["hypotheses"]} for row in segments]
    summed = {name: answer[name] for name in ("lists", "changed", "computed", "unused")}
    return {"rows": rows, "carry": {**summed, "ranks": sum(ranks), "filled": len(ranks)}}


def _finish(context: Context, outputs: Iterable[Output]) -> RerankSummary:
    lists = changed = ranks = filled = 0
    computed: list[str] = []
    unused: list[str] = []
    for output in outputs:
        part = output["carry"]
        lists, changed = lists + part["lists"], changed + part["changed"]
        ranks, filled = ranks + part["ranks"], filled + part["filled"]
        computed, unused = part["computed"], part["unused"]
    return {
        "lists": lists,
        "changed": changed,
        "mean_rank": rounded(ranks / max(filled, 1)),
        "computed": computed,
        "unused": unused,
    }


operation = Operation[RerankRequest, RerankAnswer](
    name="rerank",
    summary="N-best lists in the order of weights, with features computed for every hypothesis.",
    request=RerankRequest,
    answer_type=RerankAnswer,
    check=_check,
    answer=_answer,
    tag="ranking",
    read_files=read_list_files,
    steps=Steps(_split, _work, _finish, amount=amount_of_chunk),
    work=_work_of,
    amount=lambda request: amount_of_hypotheses(request.n_best),
)
