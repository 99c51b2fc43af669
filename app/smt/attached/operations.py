"""Operations of the wing."""

from typing import Any, Final

from app.operations.operation import Operation
from app.smt import recipes
from app.smt.operations import combine, mbr, oracle, rerank, translate, tune

__all__ = ["ATTACHED"]

ATTACHED: Final[tuple[Operation[Any, Any], ...]] = tuple(
    module.operation for module in (oracle, tune, mbr, combine, rerank, recipes, translate)
)
