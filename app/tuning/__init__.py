"""Weights of log-linear models, tuned on n-best lists towards any metric whose statistics add up."""

from app.tuning.method import Method, Outcome, Step, TuningData
from app.tuning.methods import METHODS, method_named, parse_method
from app.tuning.pool import Pool, pool_of
from app.tuning.tune import Run, Tuned, tune
from app.tuning.weights import Weights, normalised, tidied

__all__ = [
    "METHODS",
    "Method",
    "Outcome",
    "Pool",
    "Run",
    "Step",
    "Tuned",
    "TuningData",
    "Weights",
    "method_named",
    "normalised",
    "parse_method",
    "pool_of",
    "tidied",
    "tune",
]
