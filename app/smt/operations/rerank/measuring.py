"""Gain of a reranking: corpus scores of the decoder's first hypotheses and of the chosen ones, by any metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.metrics import Metric
from app.operations.operation import Json
from app.smt.operations.rerank.order import Reranking
from app.smt.tuning.significance import compare_choices

__all__ = ["ChoiceStatistics", "MeasuredAnswer", "measure_choices", "measured_answer", "metric_in"]

USUAL_METRIC: Final = "bleu"


class MeasuredAnswer(TypedDict):
    """The decoder's first hypotheses beside the chosen ones, all segments together; those without hypotheses are left out.

    Intervals of 95 % are of the same 1,000 resamples, and so is the p-value (paired bootstrap). Segments are `wins` where the
    chosen one scores better than the first, `losses` where it scores worse.
    """

    metric: str
    unit: str
    direction: str
    signature: str
    segments: int
    first_score: float
    first_interval: list[float]
    chosen_score: float
    chosen_interval: list[float]
    gain: Annotated[float, Field(description="Gain in score of the chosen hypotheses; below 0 if they are worse")]
    gain_interval: list[float]
    p_value: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, eq=False)
class ChoiceStatistics:
    """Statistics of the first and of the best hypothesis of each list with hypotheses; shape (n, s) each."""

    metric: Metric
    first: Float64s
    best: Float64s

    @property
    def scores(self) -> tuple[Float64s, Float64s, Float64s]:
        """Scores of segments by the first and by the best hypothesis, and the gain, above 0 if the best is better; shape (n,)."""
        before, after = (self.metric.segment_scores(rows) for rows in (self.first, self.best))
        return before, after, (after - before) * (1.0 if self.metric.higher_is_better else -1.0)


def measure_choices(metric: Metric, result: Reranking, references: Mapping[str, Sequence[str]]) -> ChoiceStatistics:
    """Statistics of a reranking against references of all lists."""
    prepared_references, texts = metric.prepare(list(references.values())), result.lists.texts
    places = (result.first.tolist(), result.best.tolist())
    first, best = (prepared_references.statistics([texts[h] for h in side], result.nonempty) for side in places)
    return ChoiceStatistics(metric, first, best)


def metric_in(params: Json) -> str:
    """Name of the requested metric; BLEU by default."""
    name: str = params["metric"] or USUAL_METRIC
    return name


def measured_answer(statistics: ChoiceStatistics, name: str, references: int) -> MeasuredAnswer:
    """Corpus scores by a metric with its requested name."""
    metric, gains = statistics.metric, statistics.scores[2]
    comparison = compare_choices(metric, statistics.first, statistics.best)
    return {
        "metric": name,
        "unit": metric.unit,
        "direction": metric.direction,
        "signature": metric.signature(references),
        "segments": len(gains),
        "first_score": comparison.first,
        "first_interval": [comparison.first_interval.low, comparison.first_interval.high],
        "chosen_score": comparison.chosen,
        "chosen_interval": [comparison.chosen_interval.low, comparison.chosen_interval.high],
        "gain": comparison.gain,
        "gain_interval": [comparison.gain_interval.low, comparison.gain_interval.high],
        "p_value": comparison.p_value,
        "wins": int((gains > 0).sum()),
        "losses": int((gains < 0).sum()),
        "ties": int((gains == 0).sum()),
    }
