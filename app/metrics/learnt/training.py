"""Training of linear metrics on judged translations: ROSE, BEER, or any list of features."""

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
from app.metrics.learnt.linear_metric import PairMaker, resources_of
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
from app.metrics.learnt.segment_pairs import STAGES
from app.metrics.learnt.templates import LOGISTIC, NEEDS, FeatureTemplate
from app.metrics.meta_evaluation.wins import count_wins, expected_wins
from app.metrics.meteor.tables import NO_TABLES, tables_named

__all__ = ["OBJECTIVES", "JudgedTranslations", "train_linear_metric"]

OBJECTIVES: Final = ("regression", "ranking", "logistic", "corpus", "joint")
# Objectives that learn from pairs of translations.
PAIRWISE: Final = ("ranking", "logistic", "joint")
COSTS: Final = tuple(2.0**power for power in range(-12, 1, 2))
FOLDS: Final = 5
TUBE: Final = 0.1
LARGEST_SET: Final = 200_000
# Length of a segment in the laws about forms of a word.
USUAL_LENGTH: Final = 20


@dataclass(frozen=True)
class JudgedTranslations:
    """Judged translations with a reference, a label and a group each; n rows. Higher labels are better.

    Translations are compared within groups. `systems` (n,) names the system of each translation for corpus objectives; the human
    score of a system is its Expected Wins over the others.
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
    judgements: JudgedTranslations,
    objective: str,
    card: Mapping[str, Any],
    metrics: Callable[[str], Metric],
    tokenise: str = "13a",
    lowercase: bool = False,
    function_words: Sequence[str] = (),
    stem: str | None = None,
    tables: str | None = None,
    factored: bool = False,
    unjudged_pairs: Sequence[tuple[str, str, str]] = (),
    seed: int = 12345,
) -> TrainedMetric:
    """Fit weights that prefer references to damaged versions, and the scale of reported scores.

    `unjudged_pairs` are rows of (translation, second translation, reference) for self-training: the trained metric labels them,
    and is trained again with these labels. Features that need function words, a stemmer or METEOR's `tables` are left out without
    them; the card lists them (`left_out`). InputError (``invalid-training-data``) if labels do not differ, or if they fall for
    translations closer to the reference; (``invalid-request``) for unjudged pairs with an objective without pairs of translations.
    """
    if objective not in OBJECTIVES:
        raise InputError("invalid-request", f"objectives are {', '.join(OBJECTIVES)}")
    if unjudged_pairs and objective not in PAIRWISE:
        raise InputError("invalid-request", f"objectives with unjudged pairs are {', '.join(PAIRWISE)}", ("unjudged",))
    found_tables = NO_TABLES if tables is None else tables_named(tables)
    sources = (function_words, stem, found_tables.synsets, len(found_tables.paraphrases.phrases))
    missing = [need for need, source in zip(NEEDS, sources, strict=True) if not source]
    used_template = template.without(missing)
    if len(used_template.features) < len(template.features):
        card = {**card, "left_out": [feature for feature in template.features if feature not in used_template.features]}
    blank = TrainedMetric(
        name, kind, language, used_template.features, (), (), (), tokenise=tokenise, lowercase=lowercase,
        function_words=tuple(function_words), stem=stem, card=dict(card),
    )  # fmt: skip
    if tables is not None and not blank.aligns:
        raise InputError("invalid-request", f"no feature of {template.name} reads tables of METEOR", ("tables",))
    blank = replace(blank, resources=resources_of(blank, tables))
    maker = PairMaker(blank, factored, metrics, tables)

    def features(translations: Segments, references: Segments) -> Float64s:
        hypothesis_side, reference_side = maker.side(translations, "translations"), maker.side(references, "references")
        return feature_values(blank.features, maker.pair((hypothesis_side, translations), (reference_side, references)))

    values = features(judgements.translations, judgements.references)
    _check(values, judgements)
    low, high = values.mean(0), values.mean(0) + values.std(0)
    # A width of 1 avoids division by zero for constant features.
    high = np.where(high > low, high, low + 1.0)
    scaled_values = (values - low) / (high - low)
    extra_pairs = None
    if unjudged_pairs:
        first, second, references = zip(*unjudged_pairs, strict=True)
        extra_pairs = tuple((features(texts, references) - low) / (high - low) for texts in (first, second))
    # Features of function words rise if content words are deleted, so signs of weights say nothing about them.
    damage = damaged_references(judgements.references, seed, factored, function_words if blank.aligns else ())
    losses = features(damage.references, damage.references) - features(damage.damaged_texts, damage.references)
    laws = laws_of(losses / (high - low), damage, _form_laws(blank.features) / (high - low))
    weights, bias = _fit(scaled_values, judgements, objective, extra_pairs, laws)
    raw = scaled_values @ weights
    if np.ptp(raw) == 0 or float(np.corrcoef(raw, judgements.labels)[0, 1]) <= 0:
        detail = "labels do not rise for translations closer to their references; give better translations higher labels"
        raise InputError("invalid-training-data", detail)
    law_counts = {"references": len(laws.differences), "broken": laws.broken(weights)}
    if objective == "logistic" and template.output == LOGISTIC:
        # The thesis weighs features as they are, so that all zeros give one half.
        bias = float(weights @ (low / (high - low)))
    trained_metric = replace(
        blank,
        low=tuple(map(float, low)),
        high=tuple(map(float, high)),
        weights=tuple(map(float, weights)),
        bias=float(bias),
        card={**card, "laws": law_counts},
    )
    return _with_output(trained_metric, trained_metric.raw_scores(values), judgements.labels, objective, template.output, seed)


def _form_laws(features: Sequence[str]) -> Float64s:
    """Rows of losses of features (m, k) by which another form of a word in a usual segment lies between the word and no match.

    A form is a match of a later stage than that of equal words. A word without a match is also one less among its class.
    """
    changes = [
        beginnings
        for stage in STAGES[1:]
        for beginnings in (
            {f"matched{STAGES[0]}.": 1.0, f"matched{stage}.": -1.0},
            {f"matched{stage}.": 1.0, "matchedcontent.": 1.0},
            {f"matched{stage}.": 1.0, "matchedfunction.": 1.0},
        )
        if any(name.startswith(f"matched{stage}.") for name in features)
    ]
    rows = [[sum(change for start, change in row.items() if name.startswith(start)) for name in features] for row in changes]
    return np.array(rows, np.float64).reshape(-1, len(features)) / USUAL_LENGTH


def _check(values: Float64s, judgements: JudgedTranslations) -> None:
    n = len(judgements.labels)
    if not 2 <= n <= LARGEST_SET or len(values) != n or not np.isfinite(judgements.labels).all():
        raise InputError("invalid-training-data", f"training takes 2 to {LARGEST_SET} translations, each with a finite label")
    if np.ptp(judgements.labels) == 0:
        raise InputError("invalid-training-data", "all labels are equal; give at least two different labels")


def _fit(
    scaled_values: Float64s, judgements: JudgedTranslations, objective: str, extra_pairs: tuple[Float64s, ...] | None, laws: Laws
) -> tuple[Float64s, float]:
    if objective == "regression":
        labels = judgements.labels
        cost = _best_cost(
            scaled_values, judgements, lambda rows, c: fit_regression(scaled_values[rows], labels[rows], c, TUBE, laws)[0]
        )
        return fit_regression(scaled_values, labels, cost, TUBE, laws)
    differences = difference_vectors(scaled_values, judgements.labels, judgements.groups)
    if not len(differences):
        raise InputError("invalid-training-data", "no two translations of one group have different labels")
    if objective in ("corpus", "joint"):
        pairs = _corpus_pairs(scaled_values, judgements)
        weights = fit_logistic_ranking(differences, laws)
        if objective == "corpus":
            return fit_joint(differences[:0], pairs, np.append(weights, 0.0), laws=laws)
        weights, bias = fit_joint(differences, pairs, np.append(weights, 0.0), laws=laws)
        if extra_pairs is None:
            return weights, bias
        all_differences = np.concatenate([differences, label_by_model(weights, *extra_pairs)])
        return fit_joint(all_differences, pairs, np.append(weights, bias), laws=laws)
    fit = _ranker(objective, scaled_values, judgements, laws)
    weights = fit(differences)
    if extra_pairs is not None:
        weights = fit(np.concatenate([differences, label_by_model(weights, *extra_pairs)]))
    return weights, 0.0


def _ranker(objective: str, scaled_values: Float64s, judgements: JudgedTranslations, laws: Laws) -> Callable[[Float64s], Float64s]:
    if objective == "logistic":
        return lambda differences: fit_logistic_ranking(differences, laws)

    def fit_rows(rows: Int64s, cost: float) -> Float64s:
        return fit_ranking(difference_vectors(scaled_values[rows], judgements.labels[rows], judgements.groups[rows]), cost, laws)

    cost = _best_cost(scaled_values, judgements, fit_rows)
    return lambda differences: fit_ranking(differences, cost, laws)


def _best_cost(scaled_values: Float64s, judgements: JudgedTranslations, fit: Callable[[Int64s, float], Float64s]) -> float:
    """The smallest cost within a standard error of the highest accuracy on pairs of a held-out fold of groups.

    Small costs spread the weights over features that nearly say one another.
    """
    is_held_out = judgements.groups % FOLDS == 0
    training_rows = np.flatnonzero(~is_held_out)
    held_out_differences = difference_vectors(
        scaled_values[is_held_out], judgements.labels[is_held_out], judgements.groups[is_held_out]
    )
    if not len(held_out_differences) or not len(
        difference_vectors(scaled_values[training_rows], judgements.labels[training_rows], judgements.groups[training_rows])
    ):
        return 1.0
    accuracies = {cost: float(((held_out_differences @ fit(training_rows, cost)) > 0).mean()) for cost in COSTS}
    highest = max(accuracies.values())
    margin = np.sqrt(highest * (1 - highest) / len(held_out_differences))
    return min(cost for cost in COSTS if accuracies[cost] >= highest - margin)


def _corpus_pairs(scaled_values: Float64s, judgements: JudgedTranslations) -> list[CorpusPair]:
    systems = sorted(set(judgements.systems or ()))
    if len(systems) < 2:
        raise InputError("invalid-training-data", "a corpus objective needs the systems of the translations, two or more")
    system_of = np.searchsorted(systems, list(judgements.systems or ()))
    human = expected_wins(count_wins(judgements.labels, judgements.groups, system_of, len(systems)))
    if np.isnan(human).any():
        name = systems[int(np.argmax(np.isnan(human)))]
        raise InputError("invalid-training-data", f"no group of translations compares {name} with another system without a tie")
    return [
        CorpusPair(scaled_values[system_of == winner], scaled_values[system_of == loser], float(human[winner] - human[loser]))
        for winner in range(len(systems))
        for loser in range(len(systems))
        if human[winner] > human[loser]
    ]


def _with_output(metric: TrainedMetric, raw: Float64s, labels: Float64s, objective: str, output: str, seed: int) -> TrainedMetric:
    if objective in ("corpus", "joint") or (objective == "logistic" and output == LOGISTIC):
        return replace(metric, output="logistic", scale=100.0, unit="points (0-100)")
    if objective == "logistic":
        return replace(metric, output="ratio", clip=(0.0, 1.0), scale=100.0, unit="points (0-100)")
    if objective == "regression":
        return replace(metric, unit="label units")
    slope, intercept = fit_output(raw, labels, seed)
    return replace(metric, slope=slope, intercept=intercept, unit="label units")
