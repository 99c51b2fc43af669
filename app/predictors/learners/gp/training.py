"""Training of Gaussian processes, optimised here or by GPy."""

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import FitSettings, fit_process
from app.predictors.learners.gp.gpy_kernels import by_gpy
from app.predictors.learners.gp.peer import fit_with_gpy
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.regressor import Regressor
from app.predictors.warping import TanhWarp, WarpedRegressor
from app.running.journal import Journal, recall_named

__all__ = ["train", "train_process"]


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[Regressor, HyperParameters]:
    """Train a process, with a learned warp if the options ask for one."""
    process, warp, hyper_parameters = train_process(data, options, seed, journal)
    return (process if warp is None else WarpedRegressor(process, warp)), hyper_parameters


def train_process(
    data: StandardisedRows, options: OptionValues, seed: int, journal: Journal
) -> tuple[GaussianProcess, TanhWarp | None, HyperParameters]:
    """Train a process with the kernel of the options, exact or by inducing inputs."""
    settings = FitSettings(options["kernel"], options["ard"], options["inducing"], options["learn"], options["warp"] == "tanh")
    rows = TaskRows.single(data.x, data.y)
    warp = None
    if by_gpy(options):
        process, value = _recalled_from_gpy(rows, settings, seed, options["likelihood"], journal)
    else:
        fit_result = fit_process(rows, settings, seed, journal=journal)
        process, value, warp = fit_result.process(), fit_result.value, fit_result.warp
    hyper_parameters: HyperParameters = {
        "kernel": process.kernel.name,
        "inducing_inputs": len(process.inducing) if settings.inducing else 0,
        "noise_variance": process.noise_variance,
        "log_marginal_likelihood" + ("_bound" if settings.inducing else ""): value,
        "optimiser": "gpy" if by_gpy(options) else "own",
        "seed": seed,
        **process.kernel.hyper_parameters(),
    }
    if options["likelihood"] != "gaussian":
        hyper_parameters["likelihood"] = options["likelihood"]
    return process, warp, hyper_parameters


def _recalled_from_gpy(
    rows: TaskRows, settings: FitSettings, seed: int, likelihood: str, journal: Journal
) -> tuple[GaussianProcess, float]:
    """GPy's optimum and its log marginal likelihood (or bound), as one record, since GPy's steps are not journalled."""

    def fit() -> dict[str, Float64s]:
        process, value = fit_with_gpy(rows, settings, seed, likelihood)
        return {**process.arrays(), "value": np.array(value)}

    journal.report("optimising by GPy", 0.0)
    arrays = recall_named(journal, fit)
    return GaussianProcess.from_arrays(arrays), float(arrays["value"])
