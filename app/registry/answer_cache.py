"""Answers about a collection that hold until it changes."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from app.registry.collection import Collection

__all__ = ["Remembered"]

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """What was found in a collection, until it changes."""

    def __init__(self, collection: Collection[Any]) -> None:
        self._collection = collection
        self._found: tuple[int, dict[K, V]] = (-1, {})

    def get(self, key: K, find: Callable[[], V]) -> V:
        """What was found for a key, or else what `find` finds."""
        version = self._collection.version
        if self._found[0] != version:
            self._found = version, {}
        answers = self._found[1]
        if key not in answers:
            answers[key] = find()
        return answers[key]
