"""Training of Gaussian processes, and of the blend that one is part of."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.predictors.blend import Blend
from app.predictors.gaussian.evidence import Rows
from app.predictors.gaussian.fitting import Settings, fit_process
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.gaussian.warping import Warped
from app.predictors.journal import Journal, Share, recall_named
from app.predictors.regressor import Regressor
from app.predictors.training.data import Found, Standardised
from app.predictors.training.regressions import train_ridge, train_trees

__all__ = ["train_blend", "train_gaussian_process"]

SHARES: Final = {"process": 0.4, "trees": 0.4, "line": 0.2}


def train_gaussian_process(data: Standardised, options: Mapping[str, Any], seed: int, journal: Journal) -> tuple[Regressor, Found]:
    """A process of the asked kernel, exact or by inducing inputs, optimised here or by GPy."""
    settings = Settings(options["kernel"], options["ard"], options["inducing"], options["learn"], options["warp"] == "tanh")
    rows = Rows.single(data.x, data.y)
    if options["optimiser"] == "gpy":
        process, value, warp = *_recalled_from_gpy(rows, settings, seed, journal), None
    else:
        fitted = fit_process(rows, settings, seed, journal=journal)
        process, value, warp = fitted.process(), fitted.value, fitted.warp
    found: Found = {
        "kernel": process.kernel.name,
        "inducing_inputs": len(process.inducing) if settings.inducing else 0,
        "noise_variance": process.noise_variance,
        "log_marginal_likelihood" + ("_bound" if settings.inducing else ""): value,
        "optimiser": options["optimiser"],
        "seed": seed,
    }
    for place, term in enumerate(process.kernel.terms):
        prefix = "" if len(process.kernel.terms) == 1 else f"{place + 1}_{term.kind}_"
        found |= {f"{prefix}signal_variance": term.variance, f"{prefix}length_scales": [float(each) for each in term.lengths]}
        if term.kind == "rq":
            found[f"{prefix}power"] = term.power
    return (Warped(process, warp) if warp is not None else process), found


def _recalled_from_gpy(rows: Rows, settings: Settings, seed: int, journal: Journal) -> tuple[GaussianProcess, float]:
    """GPy's optimum and its log marginal likelihood (or bound), as one record: what GPy does on the way is its own."""

    def fit() -> dict[str, Float64s]:
        from app.predictors.gaussian.peer import fit_with_gpy

        fitted = fit_with_gpy(rows, settings, seed)
        return {**fitted.process().arrays(), "value": np.array(fitted.value)}

    journal.report("optimising by GPy", 0.0)
    recalled = recall_named(journal, fit)
    return GaussianProcess.from_arrays(recalled), float(recalled["value"])


def train_blend(data: Standardised, options: Mapping[str, Any], seed: int, journal: Journal) -> tuple[Regressor, Found]:
    """The shares are fixed, not chosen on held-out rows."""
    plain = {"kernel": "rbf", "ard": True, "inducing": 200, "learn": False, "warp": "none", "optimiser": "own"}
    process, found = train_gaussian_process(data, plain, seed, Share(journal, 0.0, 0.8))
    trees, more = train_trees(data, {}, seed, Share(journal, 0.8, 0.95))
    line, last = train_ridge(data, {}, seed, Share(journal, 0.95, 1.0))
    assert isinstance(process, GaussianProcess)
    shares = {f"{name}_share": share for name, share in SHARES.items()}
    parts: dict[str, Regressor] = {"process": process, "trees": trees, "line": line}
    return Blend(parts, np.array([SHARES[name] for name in parts])), {**found, **more, **last, **shares}
