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
# Strengths of the correction, in variances of the noise: the first, unless the squared error of the second is less by three
# standard errors of the difference. Labels without noise are such a case.
STRENGTHS: Final = (0.35, 10.0)
STANDARD_ERRORS: Final = 3.0
# All weights of the correction between 0 and 1 are equally likely before the labels. After them, the true weight exceeds the chosen
# one with a probability of three quarters. A correction that says too much costs more than one that says too little.
QUANTILE: Final = 0.25
# Smallest scale of a base that labels contradict: a negative one would reverse its order.
LEAST_SCALE: Final = 0.1
SMALLEST_ERROR: Final = 1e-6


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
    """Correct `base` by rows of its own features. All rows train; five-fold cross-validation finds strength and weight of
    the correction and the scale of the result, calibrates and measures.

    For another language `pair`, features and labels are standardised by the rows of that pair, since equal numbers have
    other meanings there. InputError as `TrainingSet.check`, from 20 rows on.
    """
    rows.check(len(base.card.features), FEWEST_ROWS)
    if pair is not None and pair != base.card.pair:
        base = _in_units_of(base, rows, pair)
    x, y = base.standardise(rows.values), (rows.labels - base.label_centre) / base.label_scale
    fold = np.random.default_rng(seed).permutation(len(y)) % FOLDS
    with threadpool_limits(limits=1):
        parts = _cross_validate(base, x, y, fold, seed, journal)
        errors = (y - parts[:, 0] - parts[:, 1]) ** 2
        gain = errors[0] - errors[1]
        best = int(gain.mean() > STANDARD_ERRORS * gain.std(ddof=1) / np.sqrt(len(y)))
        strength, (shifted_base, correction, variance) = STRENGTHS[best], parts[best]
        journal.report("correction", FOLDS / (FOLDS + 1))
        regressor = fit_correction(base.card.learner, base.regressor, x, y, strength, seed)
        weight = _weight(*_coefficient(y, correction, shifted_base))
        mean = shifted_base + weight * correction
        value, error = _coefficient(y, mean)
    # The scale stays 1 within its standard error. It changes no order.
    scale, centre = max(float(np.clip(1.0, value - error, value + error)), LEAST_SCALE), float(mean.mean())
    mean = centre + scale * (mean - centre)
    shift = centre + scale * (regressor.shift - centre)
    regressor = replace(regressor, shift=shift, scale=scale, weight=scale * weight)
    noise = regressor.correction.noise_variance
    card = new_card(
        card_id=model_id or f"{base.card.id}-adapted",
        pair=base.card.pair,
        label=base.label,
        feature_set=base.card.feature_set,
        features=base.card.features,
        learner=CORRECTION,
        hyper_parameters={
            "base": base.card.id,
            "shift": shift,
            "scale": scale,
            "strength": strength,
            "weight": weight,
            "noise_variance": noise,
        },
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


def _cross_validate(base: Model, x: Float64s, y: Float64s, fold: Int64s, seed: int, journal: Journal) -> Float64s:
    """The shifted base, the correction, and its variance for each row, trained without its fold; by strength, (2, 3, n)."""
    out = np.empty((len(STRENGTHS), 3, len(y)))
    for number in range(FOLDS):
        test_mask = fold == number

        def of_fold(rows: Bools = test_mask) -> Float64s:
            means, columns = base.regressor.means(x[rows]), []
            for strength in STRENGTHS:
                part = fit_correction(base.card.learner, base.regressor, x[~rows], y[~rows], strength, seed)
                columns += [means + part.shift, *part.correction.predict(x[rows])]
            return np.concatenate(columns)

        journal.report(f"fold {number + 1} of {FOLDS}", number / (FOLDS + 1))
        out[:, :, test_mask] = journal.recall(of_fold).reshape(len(STRENGTHS), 3, -1)
    return out


def _coefficient(y: Float64s, *parts: Float64s) -> tuple[float, float]:
    """The coefficient of the first part in a regression of the labels on all parts, with its standard error.

    Beside the base, a correction counts only for what the base does not say in any scale. The error allows for unequal noise (White
    1980).
    """
    design = np.column_stack([*parts, np.ones(len(y))])
    inverse = np.linalg.pinv(design.T @ design)
    coefficients = inverse @ (design.T @ y)
    influence = (design @ inverse)[:, 0] * (y - design @ coefficients)
    error = float(np.sqrt(influence @ influence * len(y) / (len(y) - design.shape[1])))
    return float(coefficients[0]), max(error, SMALLEST_ERROR)


def _weight(value: float, error: float) -> float:
    """The quantile of the weight, a normal variable that is cut to [0, 1]."""
    # Imported here, because scipy.stats takes longer to load than most commands run.
    from scipy.stats import truncnorm

    return float(np.clip(truncnorm.ppf(QUANTILE, -value / error, (1 - value) / error, value, error), 0.0, 1.0))


class _CrossValidated(Regressor):
    """Cross-validated predictions of the rows, in the order of computation."""

    def __init__(self, mean: Float64s, variance: Float64s) -> None:
        self._mean, self._variance = mean, variance

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        return self._mean, self._variance

    def arrays(self) -> dict[str, Float64s]:
        return {}
