"""Ranking of several translations of a source, and of several systems."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from app.documents.several import read_candidates
from app.engine import Engine
from app.engine.candidates import JointAssessment
from app.engine.segments import Options
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut
from app.operations.parts.about_models import (
    Cautioned,
    DriftOf,
    ModelSummary,
    cautioned,
    drift_of,
    drift_of_parts,
    ids_of,
    joint_summary,
    several_models,
    summary_of,
)
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks
from app.operations.parts.costs.work import work_of_pairs
from app.operations.parts.fields import pair_of
from app.operations.parts.languages import named_pair, who_says
from app.operations.parts.names import AnsweringPair
from app.operations.rank.candidates import pair_of_candidates, segments_of_candidates
from app.operations.rank.differences import DifferingSystems, differences_of
from app.operations.rank.request import (
    RankRequest,
    candidates_of,
    check_ranking,
    read_files,
    sources_of,
    translated,
    with_services,
    with_translations_of,
)
from app.operations.rank.rows import ComparedSystems, SegmentOrder, Standing, segment_orders, standings_of, verdicts_of, warned
from app.planning.system_selection import Ranking, rank_systems
from app.predictors import Model
from app.running.rates import Amount
from app.text import LanguagePair

__all__ = ["RankAnswer", "RankRequest", "operation"]

RANKING_REMEDY: Final = (
    "a system with one segment has no interval and no best_share (null): one segment says nothing of how the system does on others"
)


class RankAnswer(ModelSummary, ComparedSystems, DifferingSystems):
    """Segments in the order of the request, systems from best to worst; `model` joins the ids of several models by +."""

    pair: AnsweringPair
    segments: list[SegmentOrder]
    systems: list[Standing]


def _answer(engine: Engine, request: RankRequest) -> RankAnswer:
    sources, candidates = [segment.source for segment in request.segments], candidates_of(request)
    options, profiled_engine = Options(warnings=request.warnings), engine.at(request.profile)
    if request.models is not None:
        several_models(profiled_engine, pair_of(request), request.models, request.label, frozenset())
    answer, ranking = profiled_engine.rank(
        pair_of(request), sources, candidates, request.model, request.label, options, request.baseline, request.models
    )
    segments = segment_orders(answer, ranking, candidates, request.models is not None)
    for texts, order in zip(candidates, segments, strict=True):
        for row in order["order"]:
            if row["system"] in request.services:
                row["text"] = texts[row["system"]]
    summary = joint_summary(answer.models)
    return {
        **summary,
        **_cautioned(engine, answer.models, ranking, _drift(answer), dict.fromkeys(request.failures.values(), len(sources))),
        "pair": str(pair_of(request)),
        "segments": segments,
        "systems": standings_of(ranking, warned(segments) if options.warnings else None),
        **verdicts_of(ranking, summary, request.alpha),
        **differences_of(ranking, summary["direction"] == "higher is better", request.differences),
    }


def _drift(answer: JointAssessment) -> DriftOf | None:
    return drift_of_parts(drift_of(assessment.drift) for assessment, _ in answer.assessments)


def _cautioned(
    engine: Engine, models: Sequence[Model | None], ranking: Ranking, drift: DriftOf | None, failures: Mapping[str, int]
) -> Cautioned:
    """Cautions; `failures` has reasons of failed services with the number of segments that lack their translations."""
    answer = cautioned(engine, *models, drift=drift)
    for reason, count in failures.items():
        caution = f"{reason}: {count} of {len(ranking.segments)} segments lack its translation"
        answer["cautions"] = [*answer.get("cautions", []), caution]
    if any(standing.segments == 1 for standing in ranking.systems):
        answer["cautions"] = [*answer.get("cautions", []), RANKING_REMEDY]
    return answer


def _split(planning: Planning, request: RankRequest) -> Plan:
    engine = planning.engine.at(request.profile)
    if request.models is None:
        models = [engine.model_for(pair_of(request), request.model, request.label, frozenset())]
    else:
        models = several_models(engine, pair_of(request), request.models, request.label, frozenset())
    sources, candidates = sources_of(request), candidates_of(request)
    columns: dict[str, list[Any]] = {"sources": sources, "candidates": candidates or [{} for _ in sources]}
    if request.translate:
        for name in request.translate:
            planning.translators.check(name)
        columns |= {"services": [request.translate] * len(sources), "numbers": list(range(len(sources)))}
    unused_fields = {"segments", "sources", "translate"} | (set() if request.models is not None else {"models"})
    params = {**request.model_dump(exclude=unused_fields), **joint_summary(models)}
    return Plan("rank", params, cut(columns, planning.chunk_rows))


def _plan_file(planning: Planning, params: Json, raw: bytes, name: str, header: bool | None) -> Plan:
    """Plan a job of a file with several translations; languages may come from the file or its words."""
    named_languages = named_pair(params)
    document = read_candidates(raw, "file", named_languages, planning.limits.segments, header)
    pair = pair_of_candidates(planning.engine, document, named_languages)
    languages = {"source_language": pair.source, "target_language": pair.target}
    request = RankRequest.model_validate({**params, **languages, "segments": segments_of_candidates(document)})
    check_ranking(request, planning.limits)
    plan = _split(planning, request)
    about = {"name": name, "format": document.format, "candidates": document.answer()}
    return replace(plan, params={**plan.params, "file": about, "languages": who_says(named_languages, document.languages)})


def _work(context: Context, chunk: Json) -> Output:
    params = context.params
    pair = LanguagePair(params["source_language"], params["target_language"])
    # The services of a job are those of each of its segments.
    names, numbers = chunk.get("services", [[]])[0], chunk.get("numbers", ())
    candidates, failures = with_translations_of(
        context.translators, names, pair, chunk["sources"], chunk["candidates"], params.get("baseline"), numbers
    )
    # Jobs of earlier versions have no such parameters.
    options, models = Options(warnings=params.get("warnings", False)), params.get("models")
    answer, ranking = context.engine.rank(pair, chunk["sources"], candidates, params["model"], options=options, models=models)
    segments = segment_orders(answer, ranking, candidates, models is not None)
    texts = zip(chunk["sources"], segments, candidates, strict=True)
    rows: list[Json] = [{"source": source, **order, "texts": of_source} for source, order, of_source in texts]
    carry: Json = {"names": [list(row) for row in candidates], "scores": answer.mean.tolist(), "stds": answer.std.tolist()}
    carry["errors"], carry["empty"] = answer.error_mask, [not text.strip() for row in candidates for text in row.values()]
    if failures:
        carry["failures"] = dict.fromkeys(failures.values(), len(rows))
    return {"rows": rows, "carry": {**carry, "drift": _drift(answer), "warned": warned(segments)}}


def _amount_of_chunk(chunk: Json) -> Amount:
    """Each candidate is a segment, with its source."""
    sources = chunk["sources"]
    services = chunk.get("services", [()] * len(sources))
    candidates = zip(sources, chunk["candidates"], services, strict=True)
    return amount_of_texts(source for source, texts, names in candidates for _ in (*texts, *names))


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    carry_rows = [output["carry"] for output in outputs]
    names = [row for part in carry_rows for row in part["names"]]
    scores = np.array([value for part in carry_rows for value in part["scores"]], np.float64)
    stds = np.array([value for part in carry_rows for value in part["stds"]], np.float64)
    params = context.params
    # Parts of earlier versions have no such masks.
    errors = [mask for part in carry_rows for mask in part.get("errors", [False] * len(part["scores"]))]
    empty = [mask for part in carry_rows for mask in part.get("empty", [False] * len(part["scores"]))]
    ranking = rank_systems(names, scores, stds, params["direction"] == "higher is better", errors, params.get("baseline"), empty)
    models = [context.engine.models.get(name) for name in ids_of(params.get("models")) or [params["model"]]]
    # Parts that an earlier version worked on carry neither drift nor warnings.
    warning_counts: dict[str, Counter[str]] = {}
    failures: Counter[str] = Counter()
    for part in carry_rows:
        failures.update(part.get("failures", {}))
        for system, counts in part.get("warned", {}).items():
            warning_counts.setdefault(system, Counter()).update(counts)
    return {
        **summary_of(params),
        # Members of a job whose segments came in a file.
        **({name: params[name] for name in ("file", "languages")} if "file" in params else {}),
        **_cautioned(context.engine, models, ranking, drift_of_parts(part.get("drift") for part in carry_rows), failures),
        "systems": standings_of(ranking, warning_counts if params.get("warnings") else None),
        **verdicts_of(ranking, params, params.get("alpha", 0.05)),
        **differences_of(ranking, params["direction"] == "higher is better", params.get("differences")),
    }


def _cost(engine: Engine, request: RankRequest) -> Cost:
    if request.translate:
        # Translations are about as long as their sources.
        request = with_services(request, dict.fromkeys(request.translate, sources_of(request)))
    pairs = [(segment.source, translation.text) for segment in request.segments for translation in segment.translations]
    names: Sequence[str | None] = ids_of(request.models) or [request.model]
    networks = sum(work_of_networks(engine, request.model_copy(update={"model": name}), pairs) for name in names)
    return Cost(amount_of_texts(source for source, _ in pairs), len(names) * work_of_pairs(pairs), networks)


operation = Operation(
    name="rank",
    id="rankTranslations",
    summary="Translations of each source from best to worst, and the standing of their systems.",
    request=RankRequest,
    answer_type=RankAnswer,
    check=check_ranking,
    answer=_answer,
    read_files=read_files,
    profiled=True,
    translation=translated,
    steps=Steps(_split, _work, _finish, amount=_amount_of_chunk, from_document=_plan_file),
    cost=_cost,
)
