"""A cache of answers about a collection, valid until the collection changes."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from app.registry.collection import Collection

__all__ = ["AnswerCache"]

K = TypeVar("K")
V = TypeVar("V")


class AnswerCache(Generic[K, V]):
    """Answers by key, dropped when the collection changes."""

    def __init__(self, collection: Collection[Any]) -> None:
        self._collection = collection
        self._version_and_answers: tuple[int, dict[K, V]] = (-1, {})

    def get(self, key: K, find: Callable[[], V]) -> V:
        """The cached answer for a key, or the result of `find`."""
        version = self._collection.version
        if self._version_and_answers[0] != version:
            self._version_and_answers = version, {}
        answers = self._version_and_answers[1]
        if key not in answers:
            answers[key] = find()
        return answers[key]
