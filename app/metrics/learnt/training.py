"""Training a linear metric on judged translations: ROSE, BEER, or features of the user's own choice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, Segments
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.learnt.features import feature_values
from app.metrics.learnt.laws import Laws, damaged_references, laws_of
from app.metrics.learnt.linear_metric import PairMaker
from app.metrics.learnt.objectives import (
    CorpusPair,
    difference_vectors,
    fit_joint,
    fit_logistic_ranking,
    fit_output,
    fit_ranking,
    fit_regression,
    label_by_model,
)
from app.metrics.learnt.templates import FeatureTemplate

__all__ = ["OBJECTIVES", "Judgements", "train_linear_metric"]

OBJECTIVES: Final = ("regression", "ranking", "logistic", "corpus", "joint")
COSTS: Final = tuple(2.0**power for power in range(-12, 1, 2))
FOLDS: Final = 5
TUBE: Final = 0.1
LARGEST_SET: Final = 200_000


@dataclass(frozen=True)
class Judgements:
    """n judged translations with a reference each; labels are higher for better ones.

    Only translations of one group are compared with each other. `systems` (n,) names who made each, where a
    corpus objective is wanted: a system's human score is then its mean label.
    """

    translations: Segments
    references: Segments
    labels: Float64s
    groups: Int64s
    systems: Sequence[str] | None = None


def train_linear_metric(
    name: str,
    kind: str,
    language: str,
    template: FeatureTemplate,
    judged: Judgements,
    objective: str,
    card: Mapping[str, Any],
    metrics: Callable[[str], Metric],
    tokenise: str = "13a",
    lowercase: bool = False,
    function_words: Sequence[str] = (),
    stem: str | None = None,
    factored: bool = False,
    unjudged: Sequence[tuple[str, str, str]] = (),
    seed: int = 12345,
) -> TrainedMetric:
    """Fit weights that prefer references to the same damaged, and the scale that scores are reported on.

    `unjudged` are (translation, other translation, reference) that the metric first trained labels itself,
    and is then trained again with (self-training). InputError (``invalid-training-data``) where there is
    nothing to learn from, or labels fall where translations come nearer to their references.
    """
    if objective not in OBJECTIVES:
        raise InputError("invalid-request", f"objectives are {', '.join(OBJECTIVES)}")
    blank = TrainedMetric(
        name, kind, language, template.features, (), (), (), tokenise=tokenise, lowercase=lowercase,
        function_words=tuple(function_words), stem=stem, card=dict(card),
    )  # fmt: skip
    values = _features(blank, judged.translations, judged.references, factored, metrics)
    _check(values, judged)
    low, high = values.mean(0), values.mean(0) + values.std(0)
    # A feature that never varies says nothing; a width of one keeps it harmless.
    high = np.where(high > low, high, low + 1.0)
    scaled = (values - low) / (high - low)
    blank = replace(blank, low=tuple(map(float, low)), high=tuple(map(float, high)))
    extra = _unjudged(blank, unjudged, factored, metrics, low, high)
    laws = _laws(blank, judged.references, factored, metrics, seed)
    weights, bias = _fit(scaled, judged, objective, extra, laws)
    raw = scaled @ weights
    if np.ptp(raw) == 0 or float(np.corrcoef(raw, judged.labels)[0, 1]) <= 0:
        detail = "labels do not rise where translations come nearer to their references; higher labels must be better ones"
        raise InputError("invalid-training-data", detail)
    held = {"references": len(laws.differences), "broken": laws.broken(weights)}
    fitted = replace(blank, weights=tuple(map(float, weights)), bias=float(bias), card={**card, "laws": held})
    return _with_output(fitted, fitted.raw_scores(values), judged.labels, objective, seed)


def _features(
    blank: TrainedMetric, translations: Segments, references: Segments, factored: bool, metrics: Callable[[str], Metric]
) -> Float64s:
    maker = PairMaker(blank, factored, metrics)
    ours, theirs = maker.side(translations, "translations"), maker.side(references, "references")
    return feature_values(blank.features, maker.pair((ours, translations), (theirs, references)))


def _check(values: Float64s, judged: Judgements) -> None:
    n = len(judged.labels)
    if not 2 <= n <= LARGEST_SET or len(values) != n or not np.isfinite(judged.labels).all():
        raise InputError("invalid-training-data", f"training takes 2 to {LARGEST_SET} translations, each with a finite label")
    if np.ptp(judged.labels) == 0:
        raise InputError("invalid-training-data", "all labels are equal: there is nothing to learn")


def _unjudged(
    blank: TrainedMetric,
    unjudged: Sequence[tuple[str, str, str]],
    factored: bool,
    metrics: Callable[[str], Metric],
    low: Float64s,
    high: Float64s,
) -> tuple[Float64s, Float64s] | None:
    if not unjudged:
        return None
    references = [reference for _, _, reference in unjudged]
    one, other = (
        (_features(blank, [row[k] for row in unjudged], references, factored, metrics) - low) / (high - low) for k in (0, 1)
    )
    return one, other


def _laws(blank: TrainedMetric, references: Segments, factored: bool, metrics: Callable[[str], Metric], seed: int) -> Laws:
    """What damage does to the features of references, scaled."""
    rows = damaged_references(references, seed, factored)
    own, theirs = (_features(blank, texts, rows.whole, factored, metrics) for texts in (rows.whole, rows.damaged))
    return laws_of((own - theirs) / (np.array(blank.high) - np.array(blank.low)), rows.repeats)


def _fit(
    scaled: Float64s, judged: Judgements, objective: str, extra: tuple[Float64s, Float64s] | None, laws: Laws
) -> tuple[Float64s, float]:
    if objective == "regression":
        labels = judged.labels
        cost = _best_cost(scaled, judged, lambda rows, c: fit_regression(scaled[rows], labels[rows], c, TUBE, laws)[0])
        return fit_regression(scaled, labels, cost, TUBE, laws)
    differences = difference_vectors(scaled, judged.labels, judged.groups)
    if not len(differences):
        raise InputError("invalid-training-data", "no two translations of one group have different labels")
    if objective in ("corpus", "joint"):
        pairs = _corpus_pairs(scaled, judged)
        start = np.append(fit_logistic_ranking(differences, laws), 0.0)
        return fit_joint(differences if objective == "joint" else differences[:0], pairs, start, laws=laws)
    fit = _ranker(objective, scaled, judged, laws)
    weights = fit(differences)
    if extra is not None:
        weights = fit(np.concatenate([differences, label_by_model(weights, *extra)]))
    return weights, 0.0


def _ranker(objective: str, scaled: Float64s, judged: Judgements, laws: Laws) -> Callable[[Float64s], Float64s]:
    if objective == "logistic":
        return lambda differences: fit_logistic_ranking(differences, laws)

    def fit_rows(rows: Int64s, cost: float) -> Float64s:
        return fit_ranking(difference_vectors(scaled[rows], judged.labels[rows], judged.groups[rows]), cost, laws)

    cost = _best_cost(scaled, judged, fit_rows)
    return lambda differences: fit_ranking(differences, cost, laws)


def _best_cost(scaled: Float64s, judged: Judgements, fit: Callable[[Int64s, float], Float64s]) -> float:
    """The cost that orders held-out pairs best, on one fold of whole groups; the smallest of equals."""
    held = judged.groups % FOLDS == 0
    kept = np.flatnonzero(~held)
    apart = difference_vectors(scaled[held], judged.labels[held], judged.groups[held])
    if not len(apart) or not len(difference_vectors(scaled[kept], judged.labels[kept], judged.groups[kept])):
        return 1.0
    agreed = {cost: float(((apart @ fit(kept, cost)) > 0).mean()) for cost in COSTS}
    return max(COSTS, key=lambda cost: (round(agreed[cost], 4), -cost))


def _corpus_pairs(scaled: Float64s, judged: Judgements) -> list[CorpusPair]:
    systems = sorted(set(judged.systems or ()))
    if len(systems) < 2:
        raise InputError("invalid-training-data", "a corpus objective needs the systems of the translations, two or more")
    owner = np.array(judged.systems)
    # Human scores between 0 and 1, like the corpus scores that they are compared with.
    human = (judged.labels - judged.labels.min()) / np.ptp(judged.labels)
    scores = {system: float(human[owner == system].mean()) for system in systems}
    return [
        CorpusPair(scaled[owner == one], scaled[owner == other], scores[one] - scores[other])
        for one in systems
        for other in systems
        if scores[one] > scores[other]
    ]


def _with_output(metric: TrainedMetric, raw: Float64s, labels: Float64s, objective: str, seed: int) -> TrainedMetric:
    if objective in ("corpus", "joint"):
        return replace(metric, output="logistic", scale=100.0, unit="points (0-100)")
    if objective == "logistic":
        return replace(metric, output="ratio", clip=(0.0, 1.0), scale=100.0, unit="points (0-100)")
    if objective == "regression":
        return replace(metric, unit="label units")
    slope, intercept = fit_output(raw, labels, seed)
    return replace(metric, slope=slope, intercept=intercept, unit="label units")
