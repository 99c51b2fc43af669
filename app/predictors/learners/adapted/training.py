"""Training of corrections: a Gaussian process of what another predictor leaves unexplained."""

from typing import Final

from app.arrays import Float64s
from app.journal import Journal
from app.predictors.learners.adapted.corrected import Adapted
from app.predictors.learners.gp.evidence import Rows
from app.predictors.learners.gp.fitting import Settings, fit_process
from app.predictors.regressor import Regressor

__all__ = ["fit_correction"]

# With more rows than this the correction is a sparse process.
MOST_EXACT: Final = 1000
INDUCING: Final = 200


def fit_correction(learner: str, base: Regressor, x: Float64s, y: Float64s, seed: int, journal: Journal) -> Adapted:
    """Of standardised features (n, k) and labels (n,): the mean of what is left, and an isotropic process over the rest.

    `learner` is the name of the base's.
    """
    left = y - base.means(x)
    shift = float(left.mean())
    settings = Settings("rbf", ard=False, inducing=0 if len(y) <= MOST_EXACT else INDUCING)
    fitted = fit_process(Rows.single(x, left - shift), settings, seed, journal=journal)
    return Adapted(learner, base, shift, fitted.process())
