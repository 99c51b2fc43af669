"""Values that are loaded once, on first use, from any thread."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

__all__ = ["Lazy", "LazyMapping"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Lazy(Generic[T]):
    """A value that is computed on first use. After a failure, the next use tries again."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load: Callable[[], T] | None = load
        self._lock = threading.Lock()

    def __call__(self) -> T:
        """The value, computed by the first call."""
        if self._load is not None:
            with self._lock:
                if self._load is not None:
                    self._value = self._load()
                    self._load = None
        return self._value

    @property
    def loaded(self) -> bool:
        """Return True if the value is computed."""
        return self._load is None


class LazyMapping(Mapping[K, V]):
    """A mapping with known keys, whose values are loaded on first use."""

    def __init__(self, values: Mapping[K, Lazy[V]]) -> None:
        self._values = values

    def __getitem__(self, key: K) -> V:
        return self._values[key]()

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values
