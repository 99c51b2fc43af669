"""Options about weights that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Missing", "MissingWeights"]


class Missing(StrEnum):
    """What becomes of features that have no weight."""

    REFUSED = "refused"
    ZERO = "zero"


MissingWeights = Annotated[Missing, typer.Option(help="Features without a weight: refused, or zero.")]
