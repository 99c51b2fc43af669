"""A model for a new domain or pair from few rows: another model, and a correction of what it leaves unexplained."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Float64s, Int64s
from app.predictors.adapted import Adapted
from app.predictors.artifact import SCHEMA_VERSION, Card, Model
from app.predictors.distribution import Distribution
from app.predictors.evaluation import evaluate_predictions
from app.predictors.gaussian.evidence import Rows
from app.predictors.gaussian.fitting import Settings, fit_process
from app.predictors.journal import SILENT, Journal, Share
from app.predictors.training.data import TrainingSet
from app.predictors.uncertainty import cross_conformal

__all__ = ["FEWEST_ROWS", "adapt_model", "fit_correction"]

FEWEST_ROWS: Final = 20
FOLDS: Final = 5
# With more rows than this the correction is a sparse process.
MOST_EXACT: Final = 1000
INDUCING: Final = 200


def fit_correction(base: Model, x: Float64s, y: Float64s, seed: int, journal: Journal = SILENT) -> Adapted:
    """Of standardised features (n, k) and labels (n,): the mean of what is left, and an isotropic process over the rest."""
    left = y - base.regressor.means(x)
    shift = float(left.mean())
    settings = Settings("rbf", ard=False, inducing=0 if len(y) <= MOST_EXACT else INDUCING)
    fitted = fit_process(Rows.single(x, left - shift), settings, seed, journal=journal)
    return Adapted(base.card.learner, base.regressor, shift, fitted.process())


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
    """Correct `base` by rows of its own features. All rows train; five-fold cross-validation calibrates and measures.

    For another language `pair`, features and labels are standardised by the rows of that pair, since the same number means
    another thing there. InputError as `TrainingSet.check`, from 20 rows on.
    """
    rows.check(len(base.card.features), FEWEST_ROWS)
    if pair is not None and pair != base.card.pair:
        base = _in_units_of(base, rows, pair)
    x, y = base.standardise(rows.values), (rows.labels - base.label_centre) / base.label_scale
    fold = np.random.default_rng(seed).permutation(len(y)) % FOLDS
    with threadpool_limits(limits=1):
        mean, variance = _cross_validate(base, x, y, fold, seed, journal)
        regressor = fit_correction(base, x, y, seed, Share(journal, FOLDS / (FOLDS + 1), 1.0))
    calibration = np.sort(np.abs(y - mean) / np.sqrt(variance))
    noise = regressor.correction.noise_variance
    found: Mapping[str, Any] = {"base": base.card.id, "shift": regressor.shift, "noise_variance": noise}
    card = Card(
        SCHEMA_VERSION,
        model_id or f"{base.card.id}-adapted",
        base.card.pair,
        base.card.label,
        base.card.unit,
        base.card.direction,
        base.card.feature_set,
        base.card.features,
        "adapted",
        found,
        {"name": rows.name, "segments": len(y), "sha256": rows.checksum, "features": rows.note},
        {},
        created or datetime.now(UTC).date().isoformat(),
        dict(base.card.software),
        licence,
        base.card.id,
        base.card.version + 1,
    )
    model = replace(base, card=card, regressor=regressor, calibration=calibration, seen=Distribution.of(rows.values), checksum="")
    predicted = mean * base.label_scale + base.label_centre
    accuracy = evaluate_predictions(rows.labels, predicted, base.label.higher_is_better)
    crossed = replace(model, regressor=_Known(mean, variance))
    held = cross_conformal(crossed, rows.values, rows.labels)
    measured = {
        "data": f"{rows.name}, five-fold cross-validation", "sha256": rows.checksum, **asdict(accuracy),
        "intervals": [row.__dict__ for row in held],
    }  # fmt: skip
    return replace(model, card=replace(card, accuracy=measured))


def _in_units_of(base: Model, rows: TrainingSet, pair: str) -> Model:
    """The same learner over features and labels as they are in another pair."""
    spread = rows.values.std(0)
    return replace(
        base,
        card=replace(base.card, pair=pair),
        centre=rows.values.mean(0),
        # A feature that does not differ in a few rows still has the spread that the base knows.
        scale=np.where(spread > 0, spread, base.scale),
        label_centre=float(rows.labels.mean()),
        label_scale=float(rows.labels.std()),
    )


def _cross_validate(base: Model, x: Float64s, y: Float64s, fold: Int64s, seed: int, journal: Journal) -> tuple[Float64s, Float64s]:
    mean, variance = np.empty(len(y)), np.empty(len(y))
    for number in range(FOLDS):
        part = Share(journal, number / (FOLDS + 1), (number + 1) / (FOLDS + 1), f"fold {number + 1} of {FOLDS}")
        mine = fold == number
        mean[mine], variance[mine] = fit_correction(base, x[~mine], y[~mine], seed, part).predict(x[mine])
    return mean, variance


class _Known:
    """Predictions that are known already, for rows in the order they were made."""

    def __init__(self, mean: Float64s, variance: Float64s) -> None:
        self._mean, self._variance = mean, variance

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        return self._mean, self._variance

    def means(self, x: Float64s) -> Float64s:
        return self._mean

    def arrays(self) -> dict[str, Float64s]:
        return {}
