"""Choice of the best of several translations, or of none."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final, Literal, NotRequired

from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.checks import SEVERITIES, Severity
from app.engine import Engine
from app.engine.segments import Options
from app.operations.operation import Operation, with_example
from app.operations.parts.about_models import ModelSummary, cautioned, drift_of, drift_of_parts, joint_summary
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks
from app.operations.parts.costs.work import work_of_pairs
from app.operations.parts.fields import PairRequest, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import AnsweringPair, LabelName, ModelId, ProfileName
from app.operations.parts.quality_rows import WarningOf
from app.operations.parts.rounding import rounded
from app.operations.parts.word_rows import Truncated
from app.operations.rank.request import Candidates, check_candidates
from app.operations.rank.rows import RankedCandidate, segment_orders
from app.planning.confidence import capped, confidence_of
from app.planning.system_selection import better_probability

__all__ = ["ChooseAnswer", "ChooseRequest", "operation"]

ABOUT_VERDICT: Final = "eligible: good enough, and not the best; low: below `min_quality`; broken: fails a check of `fail_on`"
ABOUT_BETTER: Final = "Probability that the choice is better than the next eligible translation; null without both"


class ChooseRequest(PairRequest):
    """POST /v1/choose."""

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "segments": [
                {
                    "source": "Apasă pe {button} de 3 ori.",
                    "translations": [
                        {"system": "one", "text": "Press {button} 3 times."},
                        {"system": "two", "text": "Press {buton} three times."},
                    ],
                }
            ],
        }
    )

    model: ModelId | None = None
    label: LabelName | None = None
    profile: ProfileName | None = None
    min_quality: Annotated[FiniteFloat, Field(ge=0, le=1, description="The lowest confidence of a choice")] = 0.0
    fail_on: Annotated[Severity, Field(description="No translation with a warning of this severity or worse is a choice")] = "error"
    segments: Annotated[list[Candidates], Field(min_length=1)]


class JudgedCandidate(TypedDict):
    """A translation with its verdict; `confidence` runs from 0 (worst) to 1 (best)."""

    system: str
    verdict: Annotated[Literal["choice", "eligible", "low", "broken"], Field(description=ABOUT_VERDICT)]
    score: float
    std: float
    confidence: float
    warnings: list[WarningOf]
    truncated: NotRequired[Truncated]


class Choice(TypedDict):
    """The choice for a source; `system` and `translation` are null if no translation is good enough."""

    system: str | None
    translation: str | None
    reason: str
    better_probability: Annotated[float | None, Field(description=ABOUT_BETTER)]
    candidates: Annotated[list[JudgedCandidate], Field(description="Best to worst, then broken ones")]


class ChooseAnswer(ModelSummary):
    """A choice for each source, in the order of the request."""

    pair: AnsweringPair
    min_quality: float
    fail_on: Severity
    choices: Annotated[int, Field(description="Sources with a choice")]
    segments: list[Choice]


def _answer(engine: Engine, request: ChooseRequest) -> ChooseAnswer:
    sources, candidates = [row.source for row in request.segments], [row.texts for row in request.segments]
    answer, ranking = engine.at(request.profile).rank(
        pair_of(request), sources, candidates, request.model, request.label, Options(warnings=True)
    )
    assert answer.warnings is not None
    confidences = capped(confidence_of(answer.models[0].label, answer.mean), answer.warnings).tolist()
    choices, begin = [], 0
    for texts, order in zip(candidates, segment_orders(answer, ranking, candidates, by_models=False), strict=True):
        confidence_of_system = dict(zip(texts, confidences[begin : begin + len(texts)], strict=True))
        begin += len(texts)
        choices.append(_choice(request, texts, order["order"], confidence_of_system))
    drift = drift_of_parts(drift_of(assessment.drift) for assessment, _ in answer.assessments)
    return {
        **joint_summary(answer.models),
        **cautioned(engine, *answer.models, drift=drift),
        "pair": str(pair_of(request)),
        "min_quality": request.min_quality,
        "fail_on": request.fail_on,
        "choices": sum(choice["system"] is not None for choice in choices),
        "segments": choices,
    }


def _choice(
    request: ChooseRequest, texts: Mapping[str, str], order: Sequence[RankedCandidate], confidences: Mapping[str, float]
) -> Choice:
    """The first of the translations from best to worst that breaks no check, if its confidence is high enough."""
    failing = SEVERITIES[: SEVERITIES.index(request.fail_on) + 1]
    rows = [_candidate(row, confidences[row["system"]], failing, request.min_quality) for row in order]
    rows.sort(key=lambda row: row["verdict"] == "broken")
    eligible = [row for row in rows if row["verdict"] == "eligible"]
    probability = None
    if eligible:
        eligible[0]["verdict"] = "choice"
    if len(eligible) > 1:
        first, second = eligible[:2]
        probability = rounded(better_probability(abs(first["score"] - second["score"]), math.hypot(first["std"], second["std"])))
    return {
        "system": eligible[0]["system"] if eligible else None,
        "translation": texts[eligible[0]["system"]] if eligible else None,
        "reason": _reason(rows, request),
        "better_probability": probability,
        "candidates": rows,
    }


def _candidate(row: RankedCandidate, confidence: float, failing: Collection[Severity], min_quality: float) -> JudgedCandidate:
    is_broken = any(warning["severity"] in failing for warning in row["warnings"])
    candidate: JudgedCandidate = {
        "system": row["system"],
        "verdict": "broken" if is_broken else "low" if confidence < min_quality else "eligible",
        "score": row["score"],
        "std": row["std"],
        "confidence": rounded(confidence),
        "warnings": row["warnings"],
    }
    return {**candidate, "truncated": True} if "truncated" in row else candidate


def _reason(rows: Sequence[JudgedCandidate], request: ChooseRequest) -> str:
    """A sentence about the choice, or about its absence."""
    counts = Counter(row["verdict"] for row in rows)
    broken = f"{counts['broken']} of {len(rows)} fail a check ({request.fail_on})"
    if counts["choice"]:
        rivals = counts["eligible"]
        sentence = (
            "best predicted quality" if rivals else "the only translation that is good enough" if len(rows) > 1 else "good enough"
        )
        return f"{sentence}; {broken}" if counts["broken"] else sentence
    if not counts["low"]:
        return f"each translation fails a check ({request.fail_on})" if len(rows) > 1 else f"fails a check ({request.fail_on})"
    best = max(row["confidence"] for row in rows if row["verdict"] == "low")
    sentence = f"the highest confidence, {best:.2f}, is below {request.min_quality:.2f}"
    return f"{sentence}; {broken}" if counts["broken"] else sentence


def _check(request: ChooseRequest, limits: RequestLimits) -> None:
    check_candidates(request.segments, limits)


def _cost(engine: Engine, request: ChooseRequest) -> Cost:
    pairs = [(segment.source, text) for segment in request.segments for text in segment.texts.values()]
    networks = work_of_networks(engine, request, pairs)
    return Cost(amount_of_texts(source for source, _ in pairs), work_of_pairs(pairs), networks)


operation = Operation[ChooseRequest, ChooseAnswer](
    name="choose",
    id="chooseTranslations",
    summary="The best translation of each source that breaks no check, or none.",
    request=ChooseRequest,
    answer_type=ChooseAnswer,
    check=_check,
    answer=_answer,
    profiled=True,
    cost=_cost,
)
