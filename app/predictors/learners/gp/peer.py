"""The same Gaussian processes by GPy's own optimiser, for whoever wants to compare; one task, any of the kernels.

What GPy found is exported like what is found here.
"""

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.learners.gp.evidence import Evidence, Prior, Rows
from app.predictors.learners.gp.fitting import Fitted, Settings, draw_inputs
from app.predictors.learners.gp.kernels import Kernel, Term

__all__ = ["fit_with_gpy"]


def fit_with_gpy(rows: Rows, settings: Settings, seed: int, iterations: int = 1000) -> Fitted:
    """GPy's L-BFGS from GPy's own start, on all rows at once. InputError for learned warps, which are not exchanged."""
    import GPy

    if settings.warp:
        raise InputError("invalid-training-data", "GPy optimises processes with the warps none, log and logit", ("learner",))
    k = rows.x.shape[1]
    classes = {
        "rbf": GPy.kern.RBF, "matern32": GPy.kern.Matern32, "matern52": GPy.kern.Matern52, "rq": GPy.kern.RatQuad,
        "linear": GPy.kern.Linear,
    }  # fmt: skip
    kinds = settings.kernel.split("+")
    parts = [classes[kind](k, ARD=settings.ard) for kind in kinds]
    kernel = parts[0] if len(parts) == 1 else GPy.kern.Add(parts)
    if settings.inducing:
        _, (inducing, _) = draw_inputs(rows, settings.inducing, seed)
        model = GPy.models.SparseGPRegression(rows.x, rows.y[:, None], kernel, Z=inducing)
        if not settings.learn_inducing:
            model.inducing_inputs.fix()
    else:
        model = GPy.models.GPRegression(rows.x, rows.y[:, None], kernel)
    model.optimize("lbfgs", max_iters=iterations)
    inducing = np.array(model.Z, np.float64) if settings.inducing else rows.x
    found = model.kern.parts if len(parts) > 1 else [model.kern]
    terms = tuple(_term(kind, part, k) for kind, part in zip(kinds, found, strict=True))
    value = float(np.squeeze(model.log_likelihood()))
    posterior = model.posterior
    precision = np.array(posterior.woodbury_inv, np.float64)
    weights = np.array(posterior.woodbury_vector, np.float64)[:, 0]
    evidence = Evidence(value, np.zeros(0), np.zeros(0), weights, precision)
    prior = Prior(Kernel(terms), None, np.log([float(model.likelihood.variance[0])]))
    return Fitted(prior, inducing, np.zeros(len(inducing), np.int64), None, evidence, value, 0)


def _term(kind: str, part: object, features: int) -> Term:
    if kind == "linear":
        return Term(kind, 1.0, 1.0 / np.sqrt(_spread(part, "variances", features)), False)
    power = float(part.power[0]) if kind == "rq" else 1.0  # type: ignore[attr-defined]
    variance = float(part.variance[0])  # type: ignore[attr-defined]
    # GPy's rational quadratic is (1 + r²/2)^-α: its length scales hold the α of the textbook's (1 + r²/2α)^-α.
    return Term(kind, variance, _spread(part, "lengthscale", features) / np.sqrt(power), False, power)


def _spread(part: object, name: str, features: int) -> Float64s:
    return np.array(np.broadcast_to(np.asarray(getattr(part, name), np.float64), (features,)))
