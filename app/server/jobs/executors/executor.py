"""Interface between a server and the executor of its workers."""

from typing import Protocol

__all__ = ["Executor"]


class Executor(Protocol):
    """Runs workers, replaces ended ones, and frees their jobs."""

    def start(self) -> None:
        """Free the jobs of workers that are gone, and start new ones; returns before they are ready."""

    def alive(self) -> int:
        """Number of workers that run."""

    def tell(self) -> None:
        """Ask every worker to end its step; returns at once."""

    def stop(self) -> None:
        """Let every worker end its step, for as long as the settings allow, and end them all."""
