"""Weights of log-linear models, tuned on n-best lists towards any metric whose statistics add up."""

from app.smt.tuning.method import Method, Outcome, Step, TuningData
from app.smt.tuning.methods import METHODS, method_named, parse_method
from app.smt.tuning.pool import Pool, pool_of
from app.smt.tuning.tune import Run, Tuned, tune
from app.smt.tuning.weights import Weights, normalised, tidied

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
