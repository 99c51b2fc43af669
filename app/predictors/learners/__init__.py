"""Learners by their names on cards and in requests, with their options: ``gp|kernel:matern52+linear|inducing:0``.

A learner is a folder with its training and its regressor, and a line of `LEARNERS`. Only training imports scikit-learn and GPy,
so a server without training never loads them.
"""

from collections.abc import Mapping
from typing import Any, Final

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.learner import Learner
from app.predictors.learners import adapted, blend, gp, lasso, ridge, svc, svr, trees
from app.predictors.regressor import Regressor
from app.predictors.warping import WarpedRegressor, stored_warp
from app.text.reading.options import parse_options

__all__ = ["CORRECTION", "LEARNERS", "LEARNER_NAMES", "learner_named", "parse_learner", "regressor_of"]

LEARNERS: Final[tuple[Learner, ...]] = (
    gp.LEARNER,
    svr.LEARNER,
    ridge.LEARNER,
    lasso.LEARNER,
    trees.LEARNER,
    blend.LEARNER,
    svc.LEARNER,
)
_BY_NAME: Final = {learner.name: learner for learner in LEARNERS}
LEARNER_NAMES: Final = tuple(_BY_NAME)
# The learner on the card of a model that corrects another one; it is trained from a base, not from rows alone.
CORRECTION: Final = adapted.NAME


def learner_named(name: str) -> Learner:
    """The learner called `name`; the InputError lists the learners."""
    if name not in _BY_NAME:
        raise InputError("invalid-training-data", f"learners are {', '.join(LEARNER_NAMES)}", ("learner",))
    return _BY_NAME[name]


def parse_learner(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and options of ``name|key:value|…``; the InputError lists the learners."""
    name, *pairs = spec.split("|")
    options = learner_named(name).options
    try:
        return name, parse_options(name, options, pairs, "invalid-training-data", "gp|kernel:matern52|inducing:0")
    except InputError as error:
        raise InputError(error.code, error.detail, ("learner",)) from None


def regressor_of(name: str, arrays: Mapping[str, Float64s]) -> Regressor:
    """The regressor of a learner's stored arrays; ValueError or KeyError for arrays of another learner."""
    if name == CORRECTION:
        return adapted.serve(arrays, regressor_of)
    regressor = _BY_NAME[name].serve(arrays)
    warp = stored_warp(arrays)
    return WarpedRegressor(regressor, warp) if warp is not None else regressor
