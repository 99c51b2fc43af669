"""Ranking of several translations of a source, and of several systems."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Final, NotRequired

import numpy as np
from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.engine import Engine
from app.engine.segments import Assessment, Options
from app.errors import InputError
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.about_models import (
    Cautioned,
    DriftOf,
    ModelSummary,
    cautioned,
    drift_of,
    drift_of_parts,
    model_summary,
    summary_of,
)
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks
from app.operations.parts.costs.work import work_of_pairs
from app.operations.parts.fields import PairRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import AnsweringPair, LabelName, ModelId, ProfileName, SystemName
from app.operations.parts.quality_rows import CHECKS, WarningOf, warnings_of
from app.operations.parts.rounding import rounded
from app.operations.parts.scoring.verdicts import Verdict, verdict_on
from app.operations.parts.word_rows import Truncated
from app.planning.system_selection import Ranking, SystemStanding, rank_systems
from app.predictors import Model
from app.running.rates import Amount
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import lines_of

__all__ = ["RankAnswer", "RankRequest", "operation"]

RANKING_REMEDY: Final = (
    "a system with one segment has no interval and no best_share (null): one segment says nothing of how the system does on others"
)
ABOUT_BETTER: Final = "Probability that the first candidate is better than the second"
ABOUT_INTERVAL: Final = "Of the mean, 95 %, by resampled segments; null of a system with one segment"
ABOUT_BEST_SHARE: Final = "Share of resamples in which no system has a better mean; null of a system with one segment"


class Translation(Body):
    """One system's translation of a source."""

    system: SystemName
    text: str


class Candidates(Body):
    """One source with the translations to rank."""

    source: str
    translations: Annotated[list[Translation], Field(min_length=1)]


class RankRequest(PairRequest):
    """POST /v1/rank."""

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "segments": [
                {
                    "source": "Casa este mare.",
                    "translations": [{"system": "one", "text": "The house is big."}, {"system": "two", "text": "House is big."}],
                }
            ],
        }
    )

    model: ModelId | None = None
    label: LabelName | None = None
    profile: ProfileName | None = None
    warnings: Annotated[bool, Field(description=CHECKS)] = True
    baseline: Annotated[SystemName | None, Field(description="The system that verdicts compare with; the first otherwise")] = None
    alpha: Annotated[FiniteFloat, Field(ge=0, le=1, description="Level of significance of verdicts")] = 0.05
    segments: list[Candidates]


class RankedCandidate(TypedDict):
    """A candidate with its predicted score."""

    system: str
    score: float
    std: float
    warnings: NotRequired[list[WarningOf]]
    truncated: NotRequired[Truncated]


class SegmentOrder(TypedDict):
    """Candidates from best to worst; those with a severe warning come last."""

    order: list[RankedCandidate]
    better_probability: Annotated[float, Field(description=ABOUT_BETTER)]


class Standing(TypedDict):
    """A system over all segments."""

    system: str
    segments: int
    wins: float
    mean: float
    interval: Annotated[list[float] | None, Field(description=ABOUT_INTERVAL)]
    best_share: Annotated[float | None, Field(description=ABOUT_BEST_SHARE)]
    warnings: NotRequired[Annotated[dict[str, int], Field(description="Segments per check")]]


class ComparedSystems(TypedDict):
    """Verdicts on systems; absent if no system is compared with the baseline."""

    verdicts: NotRequired[
        Annotated[list[Verdict], Field(description="One per system but the baseline, by means of the segments that both translate")]
    ]


class RankAnswer(ModelSummary, ComparedSystems):
    """Segments in the order of the request, systems from best to worst."""

    pair: AnsweringPair
    segments: list[SegmentOrder]
    systems: list[Standing]


def _answer(engine: Engine, request: RankRequest) -> RankAnswer:
    sources, candidates = [segment.source for segment in request.segments], _candidates(request)
    options = Options(warnings=request.warnings)
    answer, ranking = engine.at(request.profile).rank(
        pair_of(request), sources, candidates, request.model, request.label, options, request.baseline
    )
    segments = _orders(answer, ranking, candidates)
    return {
        **model_summary(answer.model),
        **_cautioned(engine, answer.model, ranking, drift_of(answer)),
        "pair": str(pair_of(request)),
        "segments": segments,
        "systems": _standings(ranking, _warned(segments) if options.warnings else None),
        **_verdicts(ranking, model_summary(answer.model), request.alpha),
    }


def _cautioned(engine: Engine, model: Model | None, ranking: Ranking, drift: DriftOf | None) -> Cautioned:
    answer = cautioned(engine, model, drift=drift)
    if any(standing.segments == 1 for standing in ranking.systems):
        answer["cautions"] = [*answer.get("cautions", []), RANKING_REMEDY]
    return answer


def _candidates(request: RankRequest) -> list[dict[str, str]]:
    """Candidates of each source by system."""
    return [{translation.system: translation.text for translation in segment.translations} for segment in request.segments]


def _orders(answer: Assessment, ranking: Ranking, candidates: Sequence[Mapping[str, str]]) -> list[SegmentOrder]:
    """Candidates from best to worst, and what else was said of each."""
    places = iter(range(len(answer.prediction.mean)))
    orders: list[SegmentOrder] = []
    for segment, names in zip(ranking.segments, candidates, strict=True):
        place_of = dict(zip(names, islice(places, len(names)), strict=True))
        order = [
            _candidate(answer, place_of[system], system, score, std)
            for system, score, std in zip(segment.systems, segment.scores, segment.stds, strict=True)
        ]
        orders.append({"order": order, "better_probability": rounded(segment.better_probability)})
    return orders


def _candidate(answer: Assessment, place: int, system: str, score: float, std: float) -> RankedCandidate:
    row: RankedCandidate = {"system": system, "score": rounded(score), "std": rounded(std)}
    if answer.warnings is not None:
        row["warnings"] = warnings_of(answer.warnings[place])
    if place in answer.truncated:
        row["truncated"] = True
    return row


def _warned(segments: Iterable[SegmentOrder]) -> dict[str, Counter[str]]:
    """By system, how many of its segments have each warning."""
    counts: dict[str, Counter[str]] = {}
    for segment in segments:
        for row in segment["order"]:
            counts.setdefault(row["system"], Counter()).update({warning["code"] for warning in row.get("warnings", ())})
    return counts


def _standings(ranking: Ranking, warning_counts: Mapping[str, Mapping[str, int]] | None) -> list[Standing]:
    def row(standing: SystemStanding) -> Standing:
        interval, best_share = standing.interval, standing.best_share
        answer: Standing = {
            "system": standing.system,
            "segments": standing.segments,
            "wins": rounded(standing.wins),
            "mean": rounded(standing.mean),
            "interval": None if interval is None else [rounded(interval[0]), rounded(interval[1])],
            "best_share": None if best_share is None else rounded(best_share),
        }
        return (
            answer
            if warning_counts is None
            else {**answer, "warnings": dict(sorted(warning_counts.get(standing.system, {}).items()))}
        )

    return [row(standing) for standing in ranking.systems]


def _verdicts(ranking: Ranking, summary: Mapping[str, Any], alpha: float) -> ComparedSystems:
    """The member `verdicts` of an answer."""
    verdicts = [
        verdict_on(
            (standing.system, ranking.baseline),
            (rounded(comparison.mean), rounded(comparison.baseline_mean)),
            summary["label"],
            rounded(comparison.corrected_p_value),
            comparison.segments,
            summary["direction"] == "higher is better",
            alpha,
            title=f"predicted {summary['label']}",
        )
        for standing in ranking.systems
        if (comparison := standing.against_baseline) is not None
    ]
    return {"verdicts": verdicts} if verdicts else {}


def _read_files(files: Mapping[str, bytes]) -> Json:
    """Candidates from files of lines called ``source`` and ``system:NAME``."""
    sources = lines_of(files.get("source", b""), "source")
    systems = {}
    for role, raw in files.items():
        kind, _, name = role.partition(":")
        if role == "source":
            continue
        if kind != "system" or not name:
            raise InputError("invalid-job", "files of a ranking are called source and system:NAME")
        systems[name] = lines_of(raw, "system")
        if len(systems[name]) != len(sources):
            raise InputError("unequal-lengths", f"a system has {len(systems[name])} lines but source has {len(sources)}")
    rows = zip(sources, *systems.values(), strict=True)
    return {
        "segments": [
            {"source": source, "translations": [{"system": name, "text": text} for name, text in zip(systems, texts, strict=True)]}
            for source, *texts in rows
        ]
    }


def _check(request: RankRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    segments = request.segments
    systems = {translation.system for segment in segments for translation in segment.translations}
    if request.baseline is not None and request.baseline not in systems:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("baseline",))
    check_count(sum(len(segment.translations) for segment in segments), limits.segments, ("segments",))
    check_segments([segment.source for segment in segments], limits.characters, ("segments",), "source")
    for row, segment in enumerate(segments):
        place = ("segments", row, "translations")
        check_segments([translation.text for translation in segment.translations], limits.characters, place, "text")
        names = {translation.system for translation in segment.translations}
        if len(names) != len(segment.translations):
            raise InputError("invalid-request", "a system translates each source once", place)
        check_segments([translation.system for translation in segment.translations], limits.characters, place, "system")
        check_count(len(names), limits.systems, place)


def _split(planning: Planning, request: RankRequest) -> Plan:
    engine = planning.engine
    model = engine.at(request.profile).model_for(pair_of(request), request.model, request.label, frozenset())
    columns = {"sources": [segment.source for segment in request.segments], "candidates": _candidates(request)}
    params = {**request.model_dump(exclude={"segments"}), **model_summary(model)}
    return Plan("rank", params, cut(columns, planning.chunk_rows))


def _work(context: Context, chunk: Json) -> Output:
    params, candidates = context.params, chunk["candidates"]
    pair = LanguagePair(params["source_language"], params["target_language"])
    # Jobs of earlier versions have no such parameter.
    options = Options(warnings=params.get("warnings", False))
    answer, ranking = context.engine.rank(pair, chunk["sources"], candidates, params["model"], options=options)
    segments = _orders(answer, ranking, candidates)
    texts = zip(chunk["sources"], segments, candidates, strict=True)
    rows: list[Json] = [{"source": source, **order, "texts": of_source} for source, order, of_source in texts]
    p = answer.prediction
    carry: Json = {"names": [list(row) for row in candidates], "scores": p.mean.tolist(), "stds": p.std.tolist()}
    carry["severe"] = list(answer.severe)
    return {"rows": rows, "carry": {**carry, "drift": drift_of(answer), "warned": _warned(segments)}}


def _amount_of_chunk(chunk: Json) -> Amount:
    """Each candidate is a segment, with its source."""
    candidates = zip(chunk["sources"], chunk["candidates"], strict=True)
    return amount_of_texts(source for source, texts in candidates for _ in texts)


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    carry_rows = [output["carry"] for output in outputs]
    names = [row for part in carry_rows for row in part["names"]]
    scores = np.array([value for part in carry_rows for value in part["scores"]], np.float64)
    stds = np.array([value for part in carry_rows for value in part["stds"]], np.float64)
    params = context.params
    # Parts of earlier versions have no severities.
    severe = [mask for part in carry_rows for mask in part.get("severe", [False] * len(part["scores"]))]
    ranking = rank_systems(names, scores, stds, params["direction"] == "higher is better", severe, params.get("baseline"))
    model = context.engine.models.get(params["model"])
    # Parts that an earlier version worked on carry neither drift nor warnings.
    warning_counts: dict[str, Counter[str]] = {}
    for part in carry_rows:
        for system, counts in part.get("warned", {}).items():
            warning_counts.setdefault(system, Counter()).update(counts)
    return {
        **summary_of(params),
        **_cautioned(context.engine, model, ranking, drift_of_parts(part.get("drift") for part in carry_rows)),
        "systems": _standings(ranking, warning_counts if params.get("warnings") else None),
        **_verdicts(ranking, params, params.get("alpha", 0.05)),
    }


def _cost(engine: Engine, request: RankRequest) -> Cost:
    pairs = [(segment.source, translation.text) for segment in request.segments for translation in segment.translations]
    texts = (text for segment in request.segments for text in (segment.source, *(row.text for row in segment.translations)))
    return Cost(amount_of_texts(source for source, _ in pairs), work_of_pairs(pairs), work_of_networks(engine, request, texts))


operation = Operation(
    name="rank",
    id="rankTranslations",
    summary="Translations of each source from best to worst, and the standing of their systems.",
    request=RankRequest,
    answer_type=RankAnswer,
    check=_check,
    answer=_answer,
    read_files=_read_files,
    profiled=True,
    steps=Steps(_split, _work, _finish, amount=_amount_of_chunk),
    cost=_cost,
)
