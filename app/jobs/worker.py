"""A worker process: take a job, finish it chunk by chunk, take the next."""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType

from app.engine import Engine
from app.errors import PROBLEMS, InputError
from app.jobs.kinds import KINDS
from app.metrics import use_sentencepiece
from app.settings import Settings
from app.store.database import open_database
from app.store.jobs import JobStore, LeaseLostError, worker_name
from app.store.view import JobView

__all__ = ["Worker", "main"]

log = logging.getLogger("assay.worker")
IDLE_SECONDS = 0.2


class Worker:
    """Works on jobs until told to stop; the chunk at hand is always finished first."""

    def __init__(self, engine: Engine, store: JobStore, trained: Path, lease_seconds: float, parent: int) -> None:
        self._engine = engine
        self._store = store
        self._trained = trained
        self._renew_every = lease_seconds / 4
        self._owner = worker_name(os.getpid())
        self._stopping = threading.Event()
        self._parent = parent

    def stop(self) -> None:
        """Finish the chunk at hand, give the job back and return from `run`."""
        self._stopping.set()

    def run(self) -> None:
        """Work until stopped, or until the process that started this one is gone."""
        while not self._should_stop():
            try:
                job = self._store.take(self._owner)
            except Exception:
                log.exception("the database did not answer")
                job = None
            if job is None:
                self._stopping.wait(IDLE_SECONDS)
            else:
                self.work(job)

    def _should_stop(self) -> bool:
        return self._stopping.is_set() or os.getppid() != self._parent

    def work(self, job: JobView) -> None:
        """Bring one job to its end, or give it back when stopping."""
        over = threading.Event()
        keeper = threading.Thread(target=self._keep_lease, args=(job.id, over), daemon=True)
        keeper.start()
        try:
            self._work(job)
        except LeaseLostError:
            log.warning("job %s was taken by another worker", job.id)
        except InputError as error:
            problem = PROBLEMS[error.code]
            self._fail(job, {"type": f"/problems/{error.code}", "title": problem.title, "detail": str(error)})
        except Exception:
            log.exception("job %s failed", job.id)
            title = PROBLEMS["internal-error"].title
            self._fail(job, {"type": "/problems/internal-error", "title": title, "detail": "see the log of the worker"})
        finally:
            over.set()
            keeper.join()

    def _fail(self, job: JobView, error: dict[str, str]) -> None:
        try:
            self._store.fail(job.id, self._owner, error)
        except LeaseLostError:
            log.warning("job %s was taken by another worker", job.id)

    def _work(self, job: JobView) -> None:
        kind = KINDS[job.kind]
        while (chunk := self._store.next_chunk(job.id)) is not None:
            if self._store.get(job.id).cancel_requested:
                self._store.stop(job.id, self._owner)
                return
            if self._should_stop():
                self._store.release(job.id, self._owner)
                return
            number, content = chunk
            self._store.save_chunk(job.id, self._owner, number, kind.chunk(self._engine, job.params, content))
        if self._store.get(job.id).cancel_requested:
            self._store.stop(job.id, self._owner)
            return
        self._trained.mkdir(parents=True, exist_ok=True)
        summary = kind.finish(self._engine, job.params, self._store.outputs(job.id), self._trained, job.id)
        self._store.succeed(job.id, self._owner, summary)

    def _keep_lease(self, job: str, over: threading.Event) -> None:
        while not over.wait(self._renew_every):
            try:
                self._store.renew(job, self._owner)
            except LeaseLostError:
                return
            except Exception:
                log.exception("the lease of job %s could not be renewed", job)


def main() -> None:
    """Run one worker with the settings of the environment; its argument is the process that it must not outlive."""
    # Who started this may be gone before everything is loaded.
    parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker %(process)d %(levelname)s %(message)s")
    settings = Settings()
    use_sentencepiece(settings.sentencepiece_model)
    store = JobStore(open_database(settings.sqlalchemy_url, migrate=False), settings.lease_seconds)
    begun = time.monotonic()
    engine = Engine.load(settings.resources_dir, settings.models_dir, settings.trained_models_dir)
    worker = Worker(engine, store, settings.trained_models_dir, settings.lease_seconds, parent)

    def on_signal(number: int, frame: FrameType | None) -> None:
        worker.stop()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    log.info("ready after %.1f s", time.monotonic() - begun)
    worker.run()


if __name__ == "__main__":
    main()
