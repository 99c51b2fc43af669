"""Options about weights that several commands share."""

from enum import StrEnum
from typing import Annotated

from app.shell.declaration.fields import option

__all__ = ["Missing", "MissingWeights"]


class Missing(StrEnum):
    """Treatment of features without a weight."""

    REFUSED = "refused"
    ZERO = "zero"


MissingWeights = Annotated[Missing, option(help="Features without a weight: refused, or zero.")]
