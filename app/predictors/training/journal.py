"""What a training tells while it runs, and what lets another go on where it was stopped."""

from collections.abc import Callable
from typing import Protocol

from app.arrays import Float64s

__all__ = ["Journal", "SilentJournal"]


class Journal(Protocol):
    """Both methods may raise to stop the training."""

    def report(self, what: str, share: float) -> None:
        """Say what is being done, and which share of it is done."""

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The next recorded array of this training, or what `compute` gives, which is then recorded."""


class SilentJournal:
    """Records nothing."""

    def report(self, what: str, share: float) -> None:
        """Nobody listens."""

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Compute."""
        return compute()
