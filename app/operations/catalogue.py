"""List of all operations: routes, kinds of jobs and the client are derived from it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from app.operations import choose, evaluate, features, learn, quality, rank, review, score, select, train, words
from app.operations.analysis import compare, correlate, word_order
from app.operations.operation import Operation
from app.wings import attached

__all__ = ["OPERATIONS"]

OPERATIONS: Final[Mapping[str, Operation[Any, Any]]] = MappingProxyType(
    {
        operation.name: operation
        for operation in (
            *(
                module.operation
                for module in (quality, review, words, features, rank, choose, score, compare, correlate, word_order)
            ),
            *(module.operation for module in (evaluate, select, learn, train)),
            *attached("operations"),
        )
    }
)
