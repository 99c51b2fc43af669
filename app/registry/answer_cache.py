"""A cache of answers about things that change, such as the models of a registry."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["AnswerCache"]

K = TypeVar("K")
V = TypeVar("V")
# Requests name side information freely, so keys have no end.
MOST_ANSWERS: Final = 1000


class AnswerCache(Generic[K, V]):
    """Answers by key, dropped when `state` returns another value."""

    def __init__(self, state: Callable[[], object]) -> None:
        self._state = state
        self._state_and_answers: tuple[object, dict[K, V]] = (None, {})

    def get(self, key: K, find: Callable[[], V]) -> V:
        """The cached answer for a key, or the result of `find`."""
        state = self._state()
        if self._state_and_answers[0] != state or len(self._state_and_answers[1]) > MOST_ANSWERS:
            self._state_and_answers = state, {}
        answers = self._state_and_answers[1]
        if key not in answers:
            answers[key] = find()
        return answers[key]
