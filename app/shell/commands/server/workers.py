"""`assay server work` and `assay server workers`: workers of a server on further machines."""

import logging
import signal
import threading
from dataclasses import asdict, dataclass

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form
from app.shell.here import data_settings, settings_here
from app.shell.output import print_json, print_rows, say

__all__ = ["WorkOptions", "WorkersOptions"]


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """Options of `assay server work`."""

    def run(self) -> None:
        """Run workers until SIGTERM or Ctrl-C; they end their chunks first."""
        from app.running.logs import install_logs
        from app.server.jobs import ProcessExecutor
        from app.server.jobs.hosts.model_store import ModelStore
        from app.server.jobs.worker_pairs import worker_pairs
        from app.server.store import JobQueue, open_database

        settings = data_settings()
        if not settings.database_url:
            detail = "workers on further machines need the server's PostgreSQL: set ASSAY_DATABASE_URL"
            raise InputError("invalid-request", detail, ("ASSAY_DATABASE_URL",))
        if not settings.workers:
            detail = "ASSAY_WORKERS is 0, so that no job would be taken here; set it to a number of processes from 1 on"
            raise InputError("invalid-request", detail, ("ASSAY_WORKERS",))
        worker_pairs(settings)
        if settings.model_store:
            # Its package may be missing.
            ModelStore(settings.trained_models_dir, settings.model_store)
        install_logs(settings.log_format, settings.log_level, "worker")
        settings.trained_models_dir.mkdir(parents=True, exist_ok=True)
        executor = ProcessExecutor(settings, JobQueue(open_database(settings.sqlalchemy_url), settings.lease_seconds))
        is_over = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: is_over.set())
        executor.start()
        pairs = ", ".join(settings.pairs_of_workers) or "all language pairs"
        say(f"{settings.workers} workers take jobs of {pairs} as soon as their models are loaded.")
        while not is_over.wait(1):
            pass
        logging.getLogger("assay.worker").info("stopping")
        executor.stop()


@dataclass(frozen=True, kw_only=True)
class WorkersOptions:
    """Options of `assay server workers`."""

    form: Form = Format.TEXT

    def run(self) -> None:
        """Print the workers of all machines, one a line."""
        from app.server.jobs.hosts.worker_store import WorkerStore
        from app.server.store import open_database

        workers = WorkerStore(open_database(settings_here().sqlalchemy_url)).list()
        rows = [
            {**asdict(worker), "pairs": ",".join(worker.pairs), "silent_seconds": round(worker.silent_seconds, 1)}
            for worker in workers
        ]
        if self.form is Format.JSON:
            print_json({"workers": rows})
        else:
            print_rows(rows, self.form)
