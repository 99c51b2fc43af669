"""Gaussian processes: kernels and their gradients, exact and sparse evidence, tasks, warps, fitting; serving with numpy alone.

GPy is the peer that the tests hold all of it to; it can optimise in its place, and has kernels and a likelihood that are not
here (`peer`, `gpy_kernels`).
"""

from app.predictors.gaussian.evidence import Rows
from app.predictors.gaussian.fitting import Fitted, Settings, fit_process
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.gaussian.warping import Warped, fixed_warp

__all__ = ["Fitted", "GaussianProcess", "Rows", "Settings", "Warped", "fit_process", "fixed_warp"]
