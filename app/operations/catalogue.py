"""The one list of operations: routes, kinds of jobs and the client are made from it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from app.operations import (
    combine,
    compare,
    correlate,
    evaluate,
    features,
    mbr,
    oracle,
    quality,
    rank,
    recipe,
    rerank,
    score,
    select,
    train,
    translate,
    tune,
    word_order,
    words,
)
from app.operations.operation import Operation

__all__ = ["OPERATIONS"]

OPERATIONS: Final[Mapping[str, Operation[Any, Any]]] = MappingProxyType(
    {
        module.operation.name: module.operation
        for module in (
            quality,
            words,
            features,
            rank,
            score,
            compare,
            correlate,
            word_order,
            evaluate,
            select,
            train,
            oracle,
            tune,
            mbr,
            combine,
            rerank,
            recipe,
            translate,
        )
    }
)
