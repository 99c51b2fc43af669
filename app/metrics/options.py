"""Options that several metrics share, in the syntax of signatures: ``|case:lc|tok:zh``."""

from collections.abc import Mapping
from typing import Any, Final

from app.metrics.tokenisers import METRIC_TOKENISERS
from app.text.reading import options
from app.text.reading.options import DEFAULT_NO, DEFAULT_YES, Choice, Number, Option, ParsedOption

__all__ = [
    "CASE",
    "DEFAULT_NO",
    "DEFAULT_YES",
    "LOWERCASE",
    "TOKENISER",
    "Choice",
    "Number",
    "Option",
    "ParsedOption",
    "parse_options",
]

CASE: Final = Choice({"mixed": False, "lc": True}, False)
LOWERCASE: Final = Choice({"mixed": False, "lc": True}, True)
TOKENISER: Final = Choice({name: name for name in METRIC_TOKENISERS}, "13a")


def parse_options(metric: str, definitions: Mapping[str, Option], pairs: list[str]) -> dict[str, Any]:
    """Value of every option, from `pairs` (``key:value``) or its default; InputError lists the accepted values."""
    return options.parse_options(metric, definitions, pairs, "unknown-metric", "|case:lc")
