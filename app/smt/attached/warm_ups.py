"""Functions that use the wing's kernels once while a server loads."""

from typing import Final

from app.smt.warming.ranking import warm_up_ranking
from app.smt.warming.tuning import warm_up_tuning

__all__ = ["ATTACHED"]

ATTACHED: Final = (warm_up_tuning, warm_up_ranking)
