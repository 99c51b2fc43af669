"""Answer for one system and one metric, for a system over its runs, and for the tests of differences."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.metrics import RunSummary, Significance, SystemScore

__all__ = ["MetricScore", "RunAnswer", "TestAnswer", "row_of", "rows_of_systems", "run_of", "test_of"]


class MetricScore(TypedDict):
    """One system by one metric."""

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    range: Annotated[list[float | None], Field(description="Lowest and highest score, null where there is no bound")]
    signature: str
    confidence_interval: NotRequired[list[float]]
    bootstrap_mean: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    wins: NotRequired[int]
    losses: NotRequired[int]
    ties: NotRequired[int]
    letters: NotRequired[str]
    stored: NotRequired[Annotated[bool, Field(description="True if these are the stored scores")]]
    segments: NotRequired[list[float]]
    places: NotRequired[Annotated[list[int], Field(description="Segments in place 1, 2 ... among systems; beside `segments`")]]


class TestAnswer(TypedDict):
    """Tests of differences."""

    name: str
    meaning: str
    seed: int
    resamples: int
    trials: NotRequired[int]


class RunAnswer(TypedDict):
    """A system over its runs."""

    system: str
    metric: str
    runs: list[str]
    mean: float
    selection_deviation: float
    optimiser_deviation: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    stored: NotRequired[bool]


def test_of(significance: Significance) -> TestAnswer:
    """Tests of differences, in words."""
    bootstrap = significance.test == "bootstrap"
    explanation = (
        "p is how often resampled test sets give a difference this much larger than their mean (paired bootstrap)"
        if bootstrap
        else "p is how often swapping the systems' outputs at random gives a larger difference"
    )
    meaning = f"{explanation}; corrected_p_value is Holm's, over all systems"
    name, seed = significance.test, significance.seed
    if bootstrap:
        return {"name": name, "resamples": significance.samples, "seed": seed, "meaning": meaning}
    return {"name": name, "trials": significance.trials, "resamples": significance.samples, "seed": seed, "meaning": meaning}


def run_of(summary: RunSummary) -> RunAnswer:
    """A system over its runs, without what was not computed."""
    row: Any = {name: value for name, value in summary.__dict__.items() if value is not None}
    row["runs"] = list(summary.runs)
    return row  # type: ignore[no-any-return]


def rows_of_systems(rows: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each system and metric, with its score: `rows` themselves, or means over `runs` if runs exist."""
    if not runs:
        return [dict(row) for row in rows]
    metrics = {row["metric"]: {name: row[name] for name in ("unit", "direction", "signature")} for row in rows}
    return [{**run, "score": run["mean"], **metrics[run["metric"]]} for run in runs]


def row_of(score: SystemScore) -> MetricScore:
    """One system by one metric, without what was not computed."""
    row: MetricScore = {
        "system": score.system,
        "metric": score.metric,
        "score": score.score,
        "unit": score.unit,
        "direction": score.direction,
        "range": list(score.range),
        "signature": score.signature,
    }
    if score.interval is not None:
        row["confidence_interval"] = [score.interval.low, score.interval.high]
        row["bootstrap_mean"] = score.interval.mean
    if score.against_baseline is not None:
        test = score.against_baseline
        row["difference"], row["p_value"], row["corrected_p_value"] = test.difference, test.p_value, test.corrected_p_value
        row["wins"], row["losses"], row["ties"] = test.wins, test.losses, test.ties
    if score.letters is not None:
        row["letters"] = score.letters
    if score.segments is not None:
        row["segments"] = list(score.segments)
    return row
