"""Both directions of alignment in two threads, since kernels hold no lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["for_both_directions"]

Result = TypeVar("Result")


def for_both_directions(work: Callable[..., Result], *columns: Iterable[Any]) -> tuple[Result, Result]:
    """Call `work` in two threads, with the first and with the second element of each column; return both results."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(work, *columns)
    return first, second
