"""Verdicts on systems: better or worse than a baseline, or no difference, with a sentence."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.planning.agreement import FEWEST_AGREE

__all__ = ["Verdict", "stars", "verdict_on", "verdicts_on_scores"]

# Names that papers give to metrics.
TITLES: Final = {
    "bleu": "BLEU", "chrf": "chrF", "chrf+": "chrF+", "chrf++": "chrF++", "ter": "TER", "wer": "WER", "per": "PER", "nist": "NIST",
}  # fmt: skip
STARS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
# A smaller p-value would be printed as 0.000.
SMALLEST_PRINTED: Final = 0.0005


ABOUT_PEOPLE: Final = "Share of pairs of systems with such a predicted difference that people order alike; of predicted DA alone"


class Verdict(TypedDict):
    """A system against the baseline, by a metric or a predicted label."""

    system: str
    baseline: str
    metric: str
    outcome: Annotated[
        Literal["better", "worse", "none"],
        Field(description="none unless p_value is below the level of significance and people agree often enough"),
    ]
    score: float
    baseline_score: float
    difference: float
    p_value: Annotated[float, Field(description="Two-sided, with Holm's correction for all systems")]
    segments: int
    people_agree: NotRequired[Annotated[float, Field(description=ABOUT_PEOPLE)]]
    sentence: str


def verdict_on(
    systems: tuple[str, str],
    scores: tuple[float, float],
    metric: str,
    p_value: float,
    segments: int,
    higher_is_better: bool,
    alpha: float,
    digits: int = 4,
    title: str | None = None,
    agreement: float | None = None,
) -> Verdict:
    """The verdict on the first of two systems, with the baseline as the second.

    `digits` are the decimals of scores in the sentence, `title` is the name of the metric there. `agreement` is the share of such
    differences that people agree with, if it is known; one that is too small leaves no verdict.
    """
    (system, baseline), (score, baseline_score) = systems, scores
    difference = round(score - baseline_score, 10)
    outcome: Literal["better", "worse", "none"] = "none"
    if p_value < alpha and difference and (agreement is None or agreement >= FEWEST_AGREE):
        outcome = "better" if (difference > 0) == higher_is_better else "worse"
    claim = (
        f"no difference is shown between {system} and {baseline}" if outcome == "none" else f"{system} is {outcome} than {baseline}"
    )
    values = f"{difference:+.{digits}f} ({baseline_score:.{digits}f} -> {score:.{digits}f})"
    evidence = f"{_p_text(p_value)}, {segments:,} segment{'' if segments == 1 else 's'}"
    people = "" if agreement is None else f"; people agree with {100 * agreement:.0f} % of such differences"
    verdict: Verdict = {
        "system": system,
        "baseline": baseline,
        "metric": metric,
        "outcome": outcome,
        "score": score,
        "baseline_score": baseline_score,
        "difference": difference,
        "p_value": p_value,
        "segments": segments,
        "sentence": f"{claim}: {title or metric} {values}, {evidence}{people}",
    }
    return verdict if agreement is None else {**verdict, "people_agree": agreement}


def verdicts_on_scores(rows: Sequence[Mapping[str, Any]], segments: int, alpha: float) -> list[Verdict]:
    """Verdicts on rows of scores, metric by metric; a row without a p-value is the baseline of its metric."""
    baselines = {row["metric"]: row for row in rows if "corrected_p_value" not in row}
    return [
        verdict_on(
            (row["system"], baselines[row["metric"]]["system"]),
            (row["score"], baselines[row["metric"]]["score"]),
            row["metric"],
            row["corrected_p_value"],
            segments,
            row["direction"] == "higher is better",
            alpha,
            2 if "100" in row["unit"] else 4,
            _title(row["metric"]),
        )
        for row in rows
        if "corrected_p_value" in row
    ]


def stars(p_value: float) -> str:
    """One star for a p-value below 0.05, two below 0.01, three below 0.001."""
    return next((text for limit, text in STARS if p_value < limit), "")


def _title(metric: str) -> str:
    base, separator, options = metric.partition("|")
    return f"{TITLES.get(base, base)}{separator}{options}"


def _p_text(p_value: float) -> str:
    return f"p = {p_value:.3f}" if p_value >= SMALLEST_PRINTED else "p < 0.001"
