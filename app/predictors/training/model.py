"""Training one predictor: standardise, learn, calibrate on held-out rows, measure, write the card."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.predictors.labels import Label, label_named
from app.predictors.learner import HyperParameters, Learner, OptionValues, StandardisedRows
from app.predictors.learners import learner_named, parse_learner
from app.predictors.model import Model
from app.predictors.regressor import Regressor
from app.predictors.training.cards import calibrated_model, new_card, software
from app.predictors.training.data import Standardisation, TrainingSet
from app.predictors.warping import WarpedRegressor, fixed_warp
from app.running.journal import SILENT, Journal

__all__ = ["train_model"]

FEWEST_ROWS: Final = 20


def train_model(
    train: TrainingSet,
    held_out: TrainingSet,
    pair: str,
    label: str | Label,
    feature_set: str,
    features: Sequence[str],
    learner: str,
    licence: str = "unknown",
    seed: int = 12345,
    created: str | None = None,
    model_id: str | None = None,
    threads: int = 1,
    parent: Model | None = None,
    journal: Journal = SILENT,
) -> Model:
    """Train on `train`; choose and calibrate on `held_out`. Deterministic for one seed and one number of BLAS `threads`.

    `label` is the name of a label, or a label on a declared scale.

    `learner` is a name with options, as ``gp|kernel:matern52``. InputError for rows that are too few, not finite or of equal
    labels, and for unknown learners and labels.
    """
    kind = label_named(label) if isinstance(label, str) else label
    name, options = parse_learner(learner)
    train.check(len(features), max(FEWEST_ROWS, len(features) + 2))
    held_out.check(len(features), FEWEST_ROWS)
    scaling = Standardisation.of(train)
    data = StandardisedRows(*scaling.rows(train), *scaling.rows(held_out))
    # Other numbers of threads add in another order, and give another file.
    with threadpool_limits(limits=threads):
        regressor, hyper_parameters = _learn(data, train.labels, kind, learner_named(name), options, seed, journal)
        card = new_card(
            card_id=model_id or f"{pair}-{kind.name}-{name}-{len(features)}",
            pair=pair,
            label=kind,
            feature_set=feature_set,
            features=features,
            learner=name,
            hyper_parameters=hyper_parameters,
            rows=train,
            software=software(learner_named(name).packages(options), threads),
            licence=licence,
            created=created,
            parent=parent.card if parent else None,
        )
        return calibrated_model(card, regressor, scaling, train, held_out)


def _learn(
    data: StandardisedRows, labels: Float64s, kind: Label, learner: Learner, options: OptionValues, seed: int, journal: Journal
) -> tuple[Regressor, HyperParameters]:
    """Learn the labels, or their values under a fixed warp."""
    warp_option = options.get("warp", "none")
    warp_name = kind.warp if warp_option == "auto" else warp_option
    if warp_name in ("none", "tanh"):
        regressor, hyper_parameters = learner.train(data, {**options, "warp": warp_name}, seed, journal)
        return regressor, {**hyper_parameters, "warp": warp_name}
    warp = fixed_warp(warp_name, labels, kind.lowest, kind.highest)
    warped_data = replace(data, y=warp.forward(data.y), held_y=warp.forward(data.held_y))
    regressor, hyper_parameters = learner.train(warped_data, {**options, "warp": "none"}, seed, journal)
    return WarpedRegressor(regressor, warp), {**hyper_parameters, "warp": warp_name}
