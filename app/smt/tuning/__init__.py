"""Tuning of log-linear weights on n-best lists, towards any metric with additive statistics."""

from app.smt.tuning.method import IterationScore, Method, Outcome, TuningData
from app.smt.tuning.methods import METHODS, method_named, parse_method
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.tune import Run, Tuned, tune
from app.smt.tuning.weights import Weights, normalised, tidied

__all__ = [
    "METHODS",
    "IterationScore",
    "Method",
    "Outcome",
    "Run",
    "Tuned",
    "TuningData",
    "TuningPool",
    "Weights",
    "method_named",
    "normalised",
    "parse_method",
    "pool_of",
    "tidied",
    "tune",
]
