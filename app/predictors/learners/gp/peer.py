"""Training by GPy: its optimiser, its kernels, and a likelihood with heavy tails; one task.

Its processes are exported like Assay's own, so that numpy serves them unless the kernel is GPy's.
"""

from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import MOST_EXACT_ROWS, FitSettings, draw_inputs
from app.predictors.learners.gp.gpy_kernels import GpyKernel, build_kernel, import_gpy, needs_gpy
from app.predictors.learners.gp.kernels import Covariance, Kernel, Term
from app.predictors.learners.gp.process import GaussianProcess

__all__ = ["fit_with_gpy"]

# Fixed, since Laplace's approximation says little about it.
DEGREES_OF_FREEDOM: Final = 4.0


def fit_with_gpy(
    rows: TaskRows, settings: FitSettings, seed: int, likelihood: str = "gaussian", iterations: int = 1000
) -> tuple[GaussianProcess, float]:
    """Process and log marginal likelihood (or bound) by GPy's L-BFGS from GPy's own start, on all rows at once.

    InputError for learned warps, for too many rows of an exact process, and for data that GPy cannot learn.
    """
    _check(rows, settings, likelihood)
    features = rows.x.shape[1]
    peer = build_kernel(settings.kernel, features, settings.ard)
    try:
        model = _model(rows, settings, seed, peer, likelihood)
        model.optimize("lbfgs", max_iters=iterations)
        value, posterior = float(np.squeeze(model.log_likelihood())), model.posterior
        weights = np.array(posterior.woodbury_vector, np.float64)[:, 0]
        precision = np.array(posterior.woodbury_inv, np.float64)
    except np.linalg.LinAlgError:
        raise _refused(f"the covariance of the kernel {settings.kernel} is not positive definite on these rows") from None
    except NotImplementedError:
        raise _refused(f"GPy has no inducing inputs for the kernel {settings.kernel}: add inducing:0") from None
    if not all(np.isfinite(numbers).all() for numbers in (model.param_array, weights, precision, value)):
        raise _refused(f"GPy finds no parameters of the kernel {settings.kernel} for these rows")
    kernel: Covariance
    if needs_gpy(settings.kernel, "gaussian"):
        kernel = GpyKernel(settings.kernel, features, settings.ard, np.array(peer.param_array, np.float64))
    else:
        kinds = settings.kernel.split("+")
        parts = model.kern.parts if len(kinds) > 1 else [model.kern]
        kernel = Kernel(tuple(_term(kind, part, features) for kind, part in zip(kinds, parts, strict=True)))
    inducing = np.array(model.Z, np.float64) if settings.inducing else rows.x
    # Exactly symmetric, since only a triangle is stored.
    precision = (precision + precision.T) / 2
    return GaussianProcess(kernel, inducing, weights, precision, _noise_variance(model, likelihood)), value


def _check(rows: TaskRows, settings: FitSettings, likelihood: str) -> None:
    if settings.warp:
        raise _refused("GPy optimises processes with the warps none, log and logit")
    if likelihood != "gaussian" and settings.inducing:
        raise _refused(f"the likelihood {likelihood} is of exact processes: add inducing:0")
    if not settings.inducing and len(rows.y) > MOST_EXACT_ROWS:
        raise _refused(f"an exact Gaussian process takes at most {MOST_EXACT_ROWS} rows; there are {len(rows.y)}")


def _refused(reason: str) -> InputError:
    return InputError("invalid-training-data", reason, ("learner",))


def _model(rows: TaskRows, settings: FitSettings, seed: int, kernel: Any, likelihood: str) -> Any:
    peers, y = import_gpy(), rows.y[:, None]
    if likelihood == "student-t":
        noise = peers.likelihoods.StudentT(deg_free=DEGREES_OF_FREEDOM, sigma2=0.5)
        noise.deg_free.fix()
        laplace = peers.inference.latent_function_inference.Laplace()
        return peers.core.GP(rows.x, y, kernel, noise, inference_method=laplace)
    if not settings.inducing:
        return peers.models.GPRegression(rows.x, y, kernel)
    _, (inducing, _) = draw_inputs(rows, settings.inducing, seed)
    model = peers.models.SparseGPRegression(rows.x, y, kernel, Z=inducing)
    if not settings.learn_inducing:
        model.inducing_inputs.fix()
    return model


def _noise_variance(model: Any, likelihood: str) -> float:
    if likelihood == "student-t":
        return float(model.likelihood.sigma2[0]) * DEGREES_OF_FREEDOM / (DEGREES_OF_FREEDOM - 2.0)
    return float(model.likelihood.variance[0])


def _term(kind: str, part: Any, features: int) -> Term:
    if kind == "linear":
        return Term(kind, 1.0, 1.0 / np.sqrt(_spread(part.variances, features)), False)
    power = float(part.power[0]) if kind == "rq" else 1.0
    # GPy's rational quadratic is (1 + r²/2)^-α: its length scales hold the α of the textbook's (1 + r²/2α)^-α.
    return Term(kind, float(part.variance[0]), _spread(part.lengthscale, features) / np.sqrt(power), False, power)


def _spread(values: Any, features: int) -> Float64s:
    return np.array(np.broadcast_to(np.asarray(values, np.float64), (features,)))
