"""Repetition of shards whose process or host was lost."""

from typing import Any, Final

from app.scale.files.shards import Shard
from app.scale.runs import Outcome

__all__ = ["ATTEMPTS", "killed_outcome"]

# A shard that was in work whenever a process was lost may be the reason.
ATTEMPTS: Final = 5


def killed_outcome(work: Any, shard: Shard) -> Outcome:
    """The outcome of a shard that no process has survived."""
    return Outcome(work.output(shard), 0, 0, f"internal-error: {ATTEMPTS} processes were killed at this shard")
