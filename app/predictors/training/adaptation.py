"""A model for a new domain or pair from few rows: another model, and a correction of its residuals."""

from dataclasses import replace
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Bools, Float64s, Int64s
from app.predictors.distribution import Distribution
from app.predictors.learners import CORRECTION
from app.predictors.learners.adapted.training import fit_correction
from app.predictors.model import Model
from app.predictors.regressor import Regressor
from app.predictors.training.cards import measured, new_card
from app.predictors.training.data import TrainingSet
from app.running.journal import SILENT, Journal
from app.text.languages import ANY_PAIR

__all__ = ["FEWEST_ROWS", "adapt_model"]

FEWEST_ROWS: Final = 20
FOLDS: Final = 5
# Strengths of the correction, in variances of the noise: the first unless a later one is better beyond chance.
STRENGTHS: Final = (0.1, 1e-6, 0.35, 1.0, 10.0)
# With this many rows per unit of strength, a later strength must be better by one standard error of the difference. With fewer
# rows it must be better by more, since chance would choose.
ROWS_OF_STRENGTH: Final = 200
USUAL_THRESHOLD: Final = 1.0
STRICT_THRESHOLD: Final = 4.0


def adapt_model(
    base: Model,
    rows: TrainingSet,
    licence: str,
    seed: int = 12345,
    model_id: str | None = None,
    created: str | None = None,
    pair: str | None = None,
    journal: Journal = SILENT,
) -> Model:
    """Correct `base` by rows of its own features. All rows train; five-fold cross-validation chooses the strength of the
    correction, calibrates and measures.

    For another language `pair`, features and labels are standardised by the rows of that pair, since equal numbers have
    other meanings there. InputError as `TrainingSet.check`, from 20 rows on.
    """
    rows.check(len(base.card.features), FEWEST_ROWS)
    if pair is not None and pair != base.card.pair:
        base = _in_units_of(base, rows, pair)
    x, y = base.standardise(rows.values), (rows.labels - base.label_centre) / base.label_scale
    fold = np.random.default_rng(seed).permutation(len(y)) % FOLDS
    with threadpool_limits(limits=1):
        strength, mean, variance = _cross_validate(base, x, y, fold, seed, journal)
        journal.report("correction", FOLDS / (FOLDS + 1))
        regressor = fit_correction(base.card.learner, base.regressor, x, y, strength, seed)
    noise = regressor.correction.noise_variance
    card = new_card(
        card_id=model_id or f"{base.card.id}-adapted",
        pair=base.card.pair,
        label=base.label,
        feature_set=base.card.feature_set,
        features=base.card.features,
        learner=CORRECTION,
        hyper_parameters={"base": base.card.id, "shift": regressor.shift, "strength": strength, "noise_variance": noise},
        rows=rows,
        software=dict(base.card.software),
        licence=licence,
        created=created,
        parent=base.card,
    )
    residuals = np.sort((y - mean) / np.sqrt(variance))
    model = replace(
        base,
        card=card,
        regressor=regressor,
        calibration=np.sort(np.abs(residuals)),
        residuals=residuals,
        seen=Distribution.of(rows.values),
        checksum="",
    )
    predicted = mean * base.label_scale + base.label_centre
    return measured(model, rows, f"{rows.name}, five-fold cross-validation", predicted, _CrossValidated(mean, variance))


def _in_units_of(base: Model, rows: TrainingSet, pair: str) -> Model:
    """The learner in the units of another pair; a learner for any pair is in its units already."""
    if base.card.pair == ANY_PAIR:
        return replace(base, card=replace(base.card, pair=pair))
    spread = rows.values.std(0)
    return replace(
        base,
        card=replace(base.card, pair=pair),
        centre=rows.values.mean(0),
        # A feature that is constant in a few rows keeps the spread of the base.
        scale=np.where(spread > 0, spread, base.scale),
        label_centre=float(rows.labels.mean()),
        label_scale=float(rows.labels.std()),
    )


def _cross_validate(
    base: Model, x: Float64s, y: Float64s, fold: Int64s, seed: int, journal: Journal
) -> tuple[float, Float64s, Float64s]:
    """The strength, and mean and variance of each row by a correction trained without its fold; (n,) both.

    Few rows cannot separate strengths: a later one must be better than the first by standard errors of the difference.
    """
    mean, variance = np.empty((len(STRENGTHS), len(y))), np.empty((len(STRENGTHS), len(y)))
    for number in range(FOLDS):
        test_mask = fold == number

        def of_fold(rows: Bools = test_mask) -> Float64s:
            corrections = (
                fit_correction(base.card.learner, base.regressor, x[~rows], y[~rows], strength, seed) for strength in STRENGTHS
            )
            return np.concatenate([np.concatenate(correction.predict(x[rows])) for correction in corrections])

        journal.report(f"fold {number + 1} of {FOLDS}", number / (FOLDS + 1))
        mean[:, test_mask], variance[:, test_mask] = journal.recall(of_fold).reshape(len(STRENGTHS), 2, -1).swapaxes(0, 1)
    errors = (y - mean) ** 2
    gains = errors[0] - errors
    thresholds = np.where(np.array(STRENGTHS) <= len(y) / ROWS_OF_STRENGTH, USUAL_THRESHOLD, STRICT_THRESHOLD)
    better = gains.mean(1) > thresholds * gains.std(1, ddof=1) / np.sqrt(len(y))
    best = int(np.argmin(np.where(better, errors.mean(1), errors[0].mean())))
    return STRENGTHS[best], mean[best], variance[best]


class _CrossValidated(Regressor):
    """Cross-validated predictions of the rows, in the order of computation."""

    def __init__(self, mean: Float64s, variance: Float64s) -> None:
        self._mean, self._variance = mean, variance

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        return self._mean, self._variance

    def arrays(self) -> dict[str, Float64s]:
        return {}
