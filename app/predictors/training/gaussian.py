"""Training of Gaussian processes, and of the blend that one is part of."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from app.predictors.blend import Blend
from app.predictors.gaussian.evidence import Rows
from app.predictors.gaussian.fitting import Settings, fit_process
from app.predictors.gaussian.peer import fit_with_gpy, needs_gpy
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.gaussian.warping import Warped
from app.predictors.regressor import Regressor
from app.predictors.training.data import Found, Progress, Standardised
from app.predictors.training.regressions import train_ridge, train_trees

__all__ = ["train_blend", "train_gaussian_process"]

SHARES: Final = {"process": 0.4, "trees": 0.4, "line": 0.2}


def train_gaussian_process(
    data: Standardised, options: Mapping[str, Any], seed: int, progress: Progress
) -> tuple[Regressor, Found]:
    """A process of the asked kernel, exact or by inducing inputs, optimised here or by GPy."""
    settings = Settings(
        options["kernel"], options["ard"], options["inducing"], options["learn"], options["warp"] == "tanh",
        progress=lambda share: progress("optimising", share),
    )  # fmt: skip
    rows = Rows.single(data.x, data.y)
    # GPy alone optimises its own kernels and likelihoods.
    by_gpy = options["optimiser"] == "gpy" or needs_gpy(options["kernel"], options["likelihood"])
    if by_gpy:
        peer = fit_with_gpy(rows, settings, seed, options["likelihood"])
        process, value, warp = peer.process(), peer.value, None
    else:
        fitted = fit_process(rows, settings, seed)
        process, value, warp = fitted.process(), fitted.value, fitted.warp
    found: Found = {
        "kernel": process.kernel.name,
        "inducing_inputs": len(process.inducing) if settings.inducing else 0,
        "noise_variance": process.noise_variance,
        "log_marginal_likelihood" + ("_bound" if settings.inducing else ""): value,
        "optimiser": "gpy" if by_gpy else "own",
        "seed": seed,
        **process.kernel.hyper_parameters(),
    }
    if options["likelihood"] != "gaussian":
        found["likelihood"] = options["likelihood"]
    return (Warped(process, warp) if warp is not None else process), found


def train_blend(data: Standardised, options: Mapping[str, Any], seed: int, progress: Progress) -> tuple[Regressor, Found]:
    """The shares are fixed, not chosen on held-out rows."""
    plain = {
        "kernel": "rbf", "ard": True, "inducing": 200, "learn": False, "warp": "none", "optimiser": "own", "likelihood": "gaussian",
    }  # fmt: skip
    process, found = train_gaussian_process(data, plain, seed, lambda what, share: progress(what, 0.8 * share))
    trees, more = train_trees(data, {}, seed, progress)
    progress("boosted trees", 0.9)
    line, last = train_ridge(data, {}, seed, progress)
    assert isinstance(process, GaussianProcess)
    shares = {f"{name}_share": share for name, share in SHARES.items()}
    parts: dict[str, Regressor] = {"process": process, "trees": trees, "line": line}
    return Blend(parts, np.array([SHARES[name] for name in parts])), {**found, **more, **last, **shares}
