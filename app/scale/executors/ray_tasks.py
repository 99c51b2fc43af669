"""Shards as tasks of Ray, on one host or on a cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from app.running.clusters import connected
from app.scale.executors.attempts import ATTEMPTS, killed_outcome
from app.scale.files.shards import Shard
from app.scale.runs import Executor, Outcome

__all__ = ["ray_tasks"]

# Tasks of the queue for each processor of the cluster.
QUEUE_LENGTH: Final = 2


def ray_tasks(address: str) -> Executor:
    """An executor over the cluster at an address such as ``ray://host:10001``; `auto` finds a running one, or starts one here.

    It raises ConnectionAbortedError if the cluster ends before the shards.
    """

    def execute(work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
        ray = connected(address)
        try:
            yield from _outcomes(ray, work, shards)
        except (ray.exceptions.RayError, ConnectionError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise ConnectionAbortedError(f"the cluster of Ray at {address} was lost: {reason}") from None

    return execute


def _outcomes(ray: Any, work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
    task = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(lambda function, shard: function(shard))
    reference = ray.put(work)
    rest = iter(shards)
    waiting: dict[Any, Shard] = {}
    while True:
        room = QUEUE_LENGTH * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(waiting) < room and (shard := next(rest, None)) is not None:
            waiting[task.remote(reference, shard)] = shard
        if not waiting:
            return
        ready, _ = ray.wait(list(waiting), num_returns=1)
        shard = waiting.pop(ready[0])
        try:
            yield ray.get(ready[0])
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError):
            yield killed_outcome(work, shard)
