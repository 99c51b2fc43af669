"""Options that several metrics share, in the syntax of signatures: ``|case:lc|tok:zh``."""

from typing import Final

from app.metrics.tokenisers import METRIC_TOKENISERS
from app.text.reading.options import Choice

__all__ = ["CASE", "LOWERCASE", "TOKENISER"]

CASE: Final = Choice({"mixed": False, "lc": True}, False)
LOWERCASE: Final = Choice({"mixed": False, "lc": True}, True)
TOKENISER: Final = Choice({name: name for name in METRIC_TOKENISERS}, "13a")
