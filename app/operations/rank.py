"""Which of several translations of a source is best, and which of several systems."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.about_models import ModelSummary, cautioned, model_summary, rounded, summary_of
from app.operations.parts.amounts import amount_of_texts
from app.operations.parts.fields import PairRequest, check_present, pair_of
from app.operations.parts.limits import Limits, check_count
from app.operations.parts.names import AnsweringPair, LabelName, ModelId, ProfileName, SystemName
from app.operations.parts.work import work_of_encoding, work_of_pairs
from app.ranking import Ranking, SegmentRanking, SystemStanding, rank_systems
from app.rates import Amount
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import lines_of

__all__ = ["RankAnswer", "RankRequest", "operation"]


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
    segments: list[Candidates]


class RankedCandidate(TypedDict):
    """A candidate with its predicted score."""

    system: str
    score: float
    std: float


class SegmentOrder(TypedDict):
    """Candidates from best to worst."""

    order: list[RankedCandidate]
    confidence: float


class Standing(TypedDict):
    """A system over all segments."""

    system: str
    segments: int
    wins: float
    mean: float
    interval: list[float]
    confidence: float


class RankAnswer(ModelSummary):
    """Segments in the order of the request, systems from best to worst."""

    pair: AnsweringPair
    segments: list[SegmentOrder]
    systems: list[Standing]


def _answer(engine: Engine, request: RankRequest) -> RankAnswer:
    sources, candidates = [segment.source for segment in request.segments], _candidates(request)
    model, ranking = engine.at(request.profile).rank(pair_of(request), sources, candidates, request.model, request.label)
    return {
        **model_summary(model),
        **cautioned(engine, model),
        "pair": str(pair_of(request)),
        "segments": _orders(ranking.segments),
        "systems": _standings(ranking),
    }


def _candidates(request: RankRequest) -> list[dict[str, str]]:
    """Per source its candidates by system."""
    return [{translation.system: translation.text for translation in segment.translations} for segment in request.segments]


def _orders(segments: Sequence[SegmentRanking]) -> list[SegmentOrder]:
    return [
        {
            "order": [
                {"system": system, "score": rounded(score), "std": rounded(std)}
                for system, score, std in zip(segment.systems, segment.scores, segment.stds, strict=True)
            ],
            "confidence": rounded(segment.confidence),
        }
        for segment in segments
    ]


def _standings(ranking: Ranking) -> list[Standing]:
    def row(standing: SystemStanding) -> Standing:
        return {
            "system": standing.system,
            "segments": standing.segments,
            "wins": rounded(standing.wins),
            "mean": rounded(standing.mean),
            "interval": [rounded(standing.interval[0]), rounded(standing.interval[1])],
            "confidence": rounded(standing.confidence),
        }

    return [row(standing) for standing in ranking.systems]


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


def _check(request: RankRequest, limits: Limits) -> None:
    segments = request.segments
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
    check_present(len(request.segments))
    model = planning.engine.at(request.profile).model_for(pair_of(request), request.model, request.label, frozenset())
    columns = {"sources": [segment.source for segment in request.segments], "candidates": _candidates(request)}
    params = {**request.model_dump(exclude={"segments"}), **model_summary(model)}
    return Plan("rank", params, cut(columns, planning.chunk_rows))


def _work(context: Context, chunk: Json) -> Output:
    params, candidates = context.params, chunk["candidates"]
    pair = LanguagePair(params["source_language"], params["target_language"])
    model, scores, stds = context.engine.candidate_scores(pair, chunk["sources"], candidates, params["model"])
    names = [list(row) for row in candidates]
    ranking = rank_systems(names, scores, stds, model.label.higher_is_better)
    rows: list[Json] = [
        {"source": source, **order, "texts": texts}
        for source, order, texts in zip(chunk["sources"], _orders(ranking.segments), candidates, strict=True)
    ]
    return {"rows": rows, "carry": {"names": names, "scores": scores.tolist(), "stds": stds.tolist()}}


def _amount_of_chunk(chunk: Json) -> Amount:
    """Each candidate is a segment, with its source."""
    candidates = zip(chunk["sources"], chunk["candidates"], strict=True)
    return amount_of_texts(source for source, texts in candidates for _ in texts)


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    carried = [output["carry"] for output in outputs]
    names = [row for part in carried for row in part["names"]]
    scores = np.array([value for part in carried for value in part["scores"]], np.float64)
    stds = np.array([value for part in carried for value in part["stds"]], np.float64)
    ranking = rank_systems(names, scores, stds, context.params["direction"] == "higher is better")
    model = context.engine.models.get(context.params["model"])
    return {**summary_of(context.params), **cautioned(context.engine, model), "systems": _standings(ranking)}


operation = Operation(
    name="rank",
    summary="Translations of each source from best to worst, and the standing of their systems.",
    request=RankRequest,
    answer_type=RankAnswer,
    check=_check,
    answer=_answer,
    read_files=_read_files,
    steps=Steps(_split, _work, _finish, amount=_amount_of_chunk),
    work=lambda request: work_of_pairs(
        (segment.source, translation.text) for segment in request.segments for translation in segment.translations
    ),
    encoding=lambda request: work_of_encoding(
        text for segment in request.segments for text in (segment.source, *(row.text for row in segment.translations))
    ),
    amount=lambda request: amount_of_texts(segment.source for segment in request.segments for _ in segment.translations),
)
