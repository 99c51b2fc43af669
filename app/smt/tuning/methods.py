"""All tuning methods by name. A new method is a module with a `TuningMethod`, and a line in `METHODS`."""

from collections.abc import Mapping
from typing import Any, Final

from app.errors import InputError
from app.smt.tuning.gradient.expected_metric import EXPECTED
from app.smt.tuning.gradient.likelihood import LIKELIHOOD
from app.smt.tuning.gradient.ramp import RAMP
from app.smt.tuning.mert.search import MERT
from app.smt.tuning.method import TuningMethod
from app.smt.tuning.online.mira import MIRA
from app.smt.tuning.online.perceptron import PERCEPTRON
from app.smt.tuning.pairs.pro import PRO
from app.smt.tuning.pairs.wro import WRO
from app.smt.tuning.rescoring import RESC_PROD, RESC_SUM
from app.smt.tuning.samplerank.tuner import SAMPLERANK
from app.text.reading.options import parse_options

__all__ = ["METHODS", "method_named", "parse_method"]

METHODS: Final[Mapping[str, TuningMethod]] = {
    method.name: method
    for method in (MERT, PRO, WRO, MIRA, PERCEPTRON, SAMPLERANK, LIKELIHOOD, EXPECTED, RAMP, RESC_SUM, RESC_PROD)
}


def method_named(name: str) -> TuningMethod:
    """Return the method with a name; InputError lists all names."""
    if name not in METHODS:
        raise InputError("invalid-tuning", f"{name} is not a tuning method; methods are {', '.join(METHODS)}", ("method",))
    return METHODS[name]


def parse_method(spec: str) -> tuple[TuningMethod, dict[str, Any]]:
    """Parse ``name|key:value|…`` into a method and its option values; InputError lists valid ones."""
    name, *pairs = spec.split("|")
    method = method_named(name)
    return method, parse_options(name, method.options, pairs, "invalid-tuning", "mert|restarts:20|directions:10", ("method",))
