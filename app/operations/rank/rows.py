"""Members of a ranking's answer: the order of each segment, the standing of systems, and verdicts on them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine.candidates import JointAssessment
from app.operations.parts.quality_rows import WarningOf, warnings_of
from app.operations.parts.rounding import rounded
from app.operations.parts.scoring.verdicts import Verdict, verdict_on
from app.operations.parts.word_rows import Truncated
from app.planning.agreement import people_agree
from app.planning.system_selection import Ranking, SystemStanding

__all__ = [
    "ComparedSystems",
    "RankedCandidate",
    "SegmentOrder",
    "Standing",
    "segment_orders",
    "standings_of",
    "verdicts_of",
    "warned",
]

ABOUT_SCORES: Final = "With `models`: the score by each model that assessed the candidate"
ABOUT_CANDIDATE: Final = "90 %, of the score by one model; absent for a mean of several models"
ABOUT_BETTER: Final = "Probability that the first candidate is better than the second; 1 if only the second has an error"
ABOUT_INTERVAL: Final = "Of the mean, 95 %, by resampled segments; null of a system with one segment"
ABOUT_BEST_SHARE: Final = "Share of resamples in which no system has a better mean; null of a system with one segment"


class RankedCandidate(TypedDict):
    """A candidate with its predicted score."""

    system: str
    score: float
    std: float
    interval: NotRequired[Annotated[list[float], Field(description=ABOUT_CANDIDATE)]]
    scores: NotRequired[Annotated[dict[str, float], Field(description=ABOUT_SCORES)]]
    warnings: NotRequired[list[WarningOf]]
    truncated: NotRequired[Truncated]
    text: NotRequired[Annotated[str, Field(description="The translation, if a service made it")]]


class SegmentOrder(TypedDict):
    """Candidates from best to worst; those with an error come last."""

    order: list[RankedCandidate]
    better_probability: Annotated[float, Field(description=ABOUT_BETTER)]


class Standing(TypedDict):
    """A system over all segments."""

    system: str
    segments: int
    wins: Annotated[float, Field(description="Segments of several translations with the system first; a tie is shared")]
    mean: float
    interval: Annotated[list[float] | None, Field(description=ABOUT_INTERVAL)]
    best_share: Annotated[float | None, Field(description=ABOUT_BEST_SHARE)]
    warnings: NotRequired[Annotated[dict[str, int], Field(description="Segments per check")]]


class ComparedSystems(TypedDict):
    """Verdicts on systems; absent if no system is compared with the baseline."""

    verdicts: NotRequired[
        Annotated[list[Verdict], Field(description="One per system but the baseline, by means of the segments that both translate")]
    ]


def segment_orders(
    answer: JointAssessment, ranking: Ranking, candidates: Sequence[Mapping[str, str]], by_models: bool
) -> list[SegmentOrder]:
    """Candidates from best to worst, with their scores by every model if `by_models`."""
    rows = _candidates(answer, [system for names in candidates for system in names], by_models)
    orders: list[SegmentOrder] = []
    begin = 0
    for segment, names in zip(ranking.segments, candidates, strict=True):
        row_of = {row["system"]: row for row in rows[begin : begin + len(names)]}
        begin += len(names)
        order = [row_of[system] for system in segment.systems]
        orders.append({"order": order, "better_probability": rounded(segment.better_probability)})
    return orders


def _candidates(answer: JointAssessment, systems: Sequence[str], by_models: bool) -> list[RankedCandidate]:
    """Candidates in the order of the request."""
    rows: list[RankedCandidate] = [
        {"system": system, "score": rounded(score), "std": rounded(std)}
        for system, score, std in zip(systems, answer.mean, answer.std, strict=True)
    ]
    for row, interval in zip(rows, answer.intervals(), strict=True):
        if interval is not None:
            row["interval"] = [rounded(bound) for bound in interval]
    for row, scores in zip(rows, answer.scores_of_models() if by_models else (), strict=by_models):
        row["scores"] = {name: rounded(score) for name, score in scores.items()}
    warnings = answer.warnings
    for row, candidate_warnings in zip(rows, warnings or (), strict=warnings is not None):
        row["warnings"] = warnings_of(candidate_warnings)
    for place in answer.truncated:
        rows[place]["truncated"] = True
    return rows


def warned(segments: Iterable[SegmentOrder]) -> dict[str, Counter[str]]:
    """By system, how many of its segments have each warning."""
    counts: dict[str, Counter[str]] = {}
    for segment in segments:
        for row in segment["order"]:
            counts.setdefault(row["system"], Counter()).update({warning["code"] for warning in row.get("warnings", ())})
    return counts


def standings_of(ranking: Ranking, warning_counts: Mapping[str, Mapping[str, int]] | None) -> list[Standing]:
    """Systems from best to worst, with their warnings if they were counted."""

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


def verdicts_of(ranking: Ranking, summary: Mapping[str, Any], alpha: float) -> ComparedSystems:
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
            agreement=people_agree(summary["label"], summary["unit"], comparison.mean - comparison.baseline_mean),
        )
        for standing in ranking.systems
        if (comparison := standing.against_baseline) is not None
    ]
    return {"verdicts": verdicts} if verdicts else {}
