"""Workers on the machines of a cluster of Ray: an actor for each holds its process, and Ray starts lost ones again elsewhere."""

import logging
from typing import Any, Final

from app.errors import InputError
from app.running.clusters import connected
from app.running.companion import Companion
from app.server.jobs.executors.processes import ProcessExecutor
from app.server.store.database import open_database
from app.server.store.queue import JobQueue
from app.settings import Settings

__all__ = ["RayExecutor"]

log = logging.getLogger("assay")
# Seconds to wait for an answer of the actors.
ANSWER_SECONDS: Final = 5.0
# Seconds between two looks at the workers.
LOOK_SECONDS: Final = 1.0
# Seconds beyond the time that a worker has to end its step.
GRACE_SECONDS: Final = 10.0


class _Machine:
    """A process of a worker on the machine of an actor, kept alive there."""

    def __init__(self, settings: dict[str, Any], module: str) -> None:
        local_settings = Settings(**settings)
        local_settings.trained_models_dir.mkdir(parents=True, exist_ok=True)
        self._executor = ProcessExecutor(
            local_settings, JobQueue(open_database(local_settings.sqlalchemy_url), local_settings.lease_seconds), module, False
        )
        self._executor.start()

    def alive(self) -> int:
        return self._executor.alive()

    def tell(self) -> None:
        self._executor.tell()

    def stop(self) -> None:
        self._executor.stop()


class RayExecutor:
    """Runs `settings.workers` processes on the cluster `settings.cluster`, one for each actor.

    InputError without PostgreSQL, which the machines of a cluster need, and for a cluster that cannot be reached.
    """

    def __init__(self, settings: Settings, module: str = "app.server.jobs.worker_process") -> None:
        if not settings.database_url:
            raise InputError("invalid-request", "workers on a cluster need PostgreSQL", ("ASSAY_DATABASE_URL",))
        self._settings = settings
        self._module = module
        self._machines: list[Any] = []
        self._count = 0
        self._companion = Companion([self._look], LOOK_SECONDS)

    def start(self) -> None:
        """Start the actors; returns before they are ready."""
        ray = connected(self._settings.cluster)
        actor = ray.remote(num_cpus=1, max_restarts=-1)(_Machine)
        settings = {**self._settings.model_dump(exclude_none=True), "workers": 1, "cluster": ""}
        self._machines = [actor.remote(settings, self._module) for _ in range(self._settings.workers)]
        self._companion.start()

    def alive(self) -> int:
        """Number of worker processes that ran at the last look."""
        return self._count if self._machines else 0

    def _look(self) -> None:
        self._count = sum(count for count in self._answers("alive", ANSWER_SECONDS) if isinstance(count, int))

    def tell(self) -> None:
        """Ask every worker to end its step; returns at once."""
        for machine in self._machines:
            machine.tell.remote()

    def stop(self) -> None:
        """Let every worker end its step, for as long as the settings allow, and end them all."""
        self._companion.stop()
        self._answers("stop", self._settings.drain_seconds + GRACE_SECONDS)
        ray = connected(self._settings.cluster)
        for machine in self._machines:
            ray.kill(machine)
        self._machines = []

    def _answers(self, method: str, seconds: float) -> list[Any]:
        """Answers of the actors that give one in time."""
        if not self._machines:
            return []
        ray = connected(self._settings.cluster)
        references = [getattr(machine, method).remote() for machine in self._machines]
        ready, _ = ray.wait(references, num_returns=len(references), timeout=seconds)
        answers = []
        for reference in ready:
            try:
                answers.append(ray.get(reference))
            except ray.exceptions.RayError as error:
                log.warning("a machine of the cluster does not answer: %s", type(error).__name__)
        return answers
