"""Both directions at once: neither looks at the other while it works, and kernels hold no lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["in_both"]

Made = TypeVar("Made")


def in_both(work: Callable[..., Made], *columns: Iterable[Any]) -> tuple[Made, Made]:
    """`work` with the first of each of these pairs and with the second, in two threads; what comes of it is as without them."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(work, *columns)
    return first, second
