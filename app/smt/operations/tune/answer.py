"""Answer of a tuning: weights with their card, the runs behind them, and their effect."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, Final, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.operations.operation import Json
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.method import IterationScore
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.tune import Run, TuningRuns, chosen_interval
from app.smt.tuning.weight_spread import WeightSpread
from app.smt.tuning.weights import FeatureWeights, tidied
from app.smt.tuning.weights_file import TunedWeightsFile, card_of, signature_of, write_weights
from app.text.n_best import NBestLists

__all__ = ["Lists", "TuneAnswer", "curve_of", "tune_answer"]

# Points of a curve that are shown; methods that take thousands of steps are shown at so many of them, first and last among them.
MOST_POINTS: Final = 200
# Fewer segments gained little or nothing on other text: the learning curves of docs/smt/tuning.md.
FEW_SEGMENTS: Final = 100
# Weights this near to the start weights, of an absolute sum of 1, are these.
NEARNESS: Final = 1e-6


class CurvePoint(TypedDict):
    """The corpus score after so many iterations."""

    iteration: int
    score: float


class TuningRun(TypedDict):
    """Result of one seed."""

    seed: int
    score: float
    held_out_score: NotRequired[float]
    weights: dict[str, list[float]]
    curve: list[CurvePoint]
    notes: Json


class HeldOutAnswer(TypedDict):
    """Scores of the weights on held-out lists; `segments` counts those with hypotheses."""

    segments: int
    score: float
    confidence_interval: list[float]
    first_score: float
    start_score: float


class ChangedSegment(TypedDict):
    """A segment, from 0: the decoder's first hypothesis, and what the weights choose; `place` is its place in the list, from 1."""

    segment: int
    source: NotRequired[str]
    references: list[str]
    first: str
    chosen: str
    place: int
    first_score: float
    chosen_score: float
    gain: Annotated[float, Field(description="Gain in score of the chosen hypothesis; below 0 if it is worse")]


class WeightsAnswer(TypedDict):
    """A file of weights: of each feature its components, and a card."""

    format: str
    version: int
    weights: dict[str, list[float]]
    card: Json


class TuneAnswer(TypedDict):
    """Weights, of the best run on the tuning lists or the mean of all runs, and their scores.

    `cautions` are there where few segments were tuned on, where a method returned its start weights, and of neural metrics.
    """

    cautions: NotRequired[list[str]]
    method: str
    metric: str
    unit: str
    direction: str
    signature: str
    take: str
    without_hypotheses: Annotated[int, Field(description="Segments whose lists are empty; they are left out of all scores")]
    dev_score: float
    confidence_interval: list[float]
    first_score: float
    start_score: float
    oracle_score: Annotated[float, Field(description="Corpus score of the hypotheses that are best by themselves")]
    mean: float
    deviation: float
    held_out: NotRequired[HeldOutAnswer]
    runs: list[TuningRun]
    spread: list[WeightSpread]
    constant: list[str]
    weights: WeightsAnswer
    segments: list[ChangedSegment]


@dataclass(frozen=True, eq=False)
class Lists:
    """N-best lists with what belongs to their segments; `statistics` (h, s) if earlier steps have measured hypotheses."""

    lists: NBestLists
    references: Mapping[str, Sequence[str]]
    sources: Sequence[str] | None
    statistics: Float64s | None = None


def tune_answer(
    result: TuningRuns, start: Float64s, pool: TuningPool, dev: Lists, metric: str, held_out: TuningPool | None
) -> TuneAnswer:
    """The answer of a tuning that began from the weights `start`."""
    scores = [run.score for run in result.runs]
    interval = [result.interval.low, result.interval.high]
    signature = signature_of(pool.metric, dev.references)
    answer: Any = {
        "method": result.method,
        "metric": metric,
        "unit": pool.metric.unit,
        "direction": pool.metric.direction,
        "signature": signature,
        "take": result.take,
        "without_hypotheses": len(dev.lists) - len(pool),
        "dev_score": result.selection.score,
        "confidence_interval": interval,
        "first_score": result.first,
        "start_score": result.start,
        "oracle_score": pool.score_of(first_of_best(pool.gains, pool.offsets)),
        "mean": float(np.mean(scores)),
        "deviation": _deviation(scores),
    }
    if cautions := [*_cautions(result, start, len(pool)), *pool.metric.cautions(pool.statistics)]:
        answer["cautions"] = cautions
    if held_out is not None:
        answer["held_out"] = _held_out(held_out, result.selection.weights, start)
    answer["constant"] = list(result.constant)
    card = {**card_of(result, pool.metric, dev.lists, list(dev.references.values())), "measured_by": metric}
    if held_out is not None:
        card["held_out"] = answer["held_out"]
    answer["runs"] = [_run(run, result.names) for run in result.runs]
    answer["spread"] = card["spread"]
    answer["weights"] = _document(TunedWeightsFile(FeatureWeights.of(result.names, result.selection.weights), card))
    answer["segments"] = _changed(pool, dev, result.selection.weights)
    return answer  # type: ignore[no-any-return]


def _cautions(result: TuningRuns, start: Float64s, segments: int) -> list[str]:
    """Cautions about weights of few segments, and about weights that a method left as they were."""
    cautions = []
    if segments < FEW_SEGMENTS:
        cautions.append(
            f"these weights were tuned on {segments} segments; on fewer than {FEW_SEGMENTS} much of what is gained is chance and "
            "does not come back on other text: measure them on lists that are held out, or tune on more segments"
        )
    if result.units.any() and np.allclose(result.selection.weights, tidied(start, result.units), rtol=NEARNESS, atol=NEARNESS):
        cautions.append(f"{result.method} returned its start weights: tune on more segments, or try another method")
    return cautions


def _document(file: TunedWeightsFile) -> WeightsAnswer:
    """Content of the file of weights, validated as when it is read."""
    document: WeightsAnswer = json.loads(write_weights(file))
    return document


def _deviation(values: Sequence[float]) -> float:
    """The standard deviation of runs, 0 of one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def _held_out(pool: TuningPool, weights: Float64s, start: Float64s) -> HeldOutAnswer:
    interval = chosen_interval(pool, weights)
    return {
        "segments": len(pool),
        "score": pool.score(weights),
        "confidence_interval": [interval.low, interval.high],
        "first_score": pool.score_of(pool.offsets[:-1]),
        "start_score": pool.score(start),
    }


def _run(run: Run, names: tuple[str, ...]) -> TuningRun:
    answer: TuningRun = {
        "seed": run.seed,
        "score": run.score,
        "weights": {name: list(row) for name, row in FeatureWeights.of(names, run.weights).values.items()},
        "curve": curve_of(run.curve),
        "notes": {name: plain for name, value in run.outcome.notes.items() if (plain := _plain(value)) is not None},
    }
    if run.held_out is not None:
        answer["held_out_score"] = run.held_out
    return answer


def curve_of(steps: Sequence[IterationScore]) -> list[CurvePoint]:
    """The points of a curve, fewer where there are very many."""
    finite = [step for step in steps if isfinite(step.score)]
    count = min(len(finite), MOST_POINTS)
    places = sorted({round(k * (len(finite) - 1) / max(count - 1, 1)) for k in range(count)})
    return [{"iteration": int(finite[k].iteration), "score": float(finite[k].score)} for k in places]


def _plain(value: Any) -> Any:
    """A note as JSON has it; None where it has no such value."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, str | int | float) else None


def _changed(pool: TuningPool, dev: Lists, weights: Float64s) -> list[ChangedSegment]:
    """Every segment that has a list, in their order."""
    chosen_places, firsts = pool.best_hypotheses(weights), pool.offsets[:-1]
    before, after = (pool.metric.segment_scores(pool.statistics[places]) for places in (firsts, chosen_places))
    sign = 1.0 if pool.metric.higher_is_better else -1.0
    texts, rows = dev.lists.texts, list[ChangedSegment]()
    for i, segment in enumerate(pool.segments.tolist()):
        row: ChangedSegment = {
            "segment": segment,
            "references": [reference[segment] for reference in dev.references.values()],
            "first": texts[int(firsts[i])],
            "chosen": texts[int(chosen_places[i])],
            "place": int(chosen_places[i] - firsts[i]) + 1,
            "first_score": float(before[i]),
            "chosen_score": float(after[i]),
            "gain": sign * float(after[i] - before[i]),
        }
        if dev.sources is not None:
            row["source"] = dev.sources[segment]
        rows.append(row)
    return rows
