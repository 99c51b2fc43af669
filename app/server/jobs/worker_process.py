"""The process of one worker: it loads the engine with the settings of its environment, and works until a signal."""

import logging
import os
import sys
import time
from uuid import uuid4

from app.engine import Engine, load_engine
from app.errors import InputError
from app.metrics import use_metric_files
from app.operations.catalogue import OPERATIONS
from app.operations.parts.environment import read_settings
from app.registry.artifacts import ArtifactStore, LocalArtifacts
from app.running.companion import Companion
from app.running.garbage import searches_suspended
from app.running.logs import install_logs
from app.running.tracing import check_tracing, start_tracing, stop_tracing
from app.server.jobs.assistant import Assistant
from app.server.jobs.context import Tools
from app.server.jobs.hosts.heartbeat import BEAT_SECONDS, heartbeat
from app.server.jobs.hosts.model_store import ModelStore, SharedArtifacts
from app.server.jobs.hosts.worker_store import WorkerStore
from app.server.jobs.job_files import Scratch
from app.server.jobs.presence import hold_presence, share_folder
from app.server.jobs.worker import Worker, run_until_told
from app.server.jobs.worker_pairs import worker_pairs
from app.server.store.audit import AuditLog
from app.server.store.database import open_database
from app.server.store.feedback_uses import FeedbackUses
from app.server.store.model_owners import ModelOwners
from app.server.store.queue import JobQueue
from app.server.translation import TranslatorFactory, open_services

__all__ = ["kinds_to_avoid", "main"]

log = logging.getLogger("assay.worker")


def main() -> None:
    """Run one worker.

    The arguments are the process that it must not outlive, its id, `short` if it takes no long steps, and `assisted` if it has an
    assistant.
    """
    os.umask(0o077)
    # The parent process may end before everything is loaded.
    parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
    id = sys.argv[2] if len(sys.argv) > 2 else uuid4().hex
    try:
        settings = read_settings()
        install_logs(settings.log_format, settings.log_level, "worker")
        if settings.otel:
            check_tracing()
        services = open_services(settings)
        language_pairs = worker_pairs(settings)
        store = ModelStore(settings.trained_models_dir, settings.model_store) if settings.model_store else None
    except InputError as error:
        install_logs("text", "info", "worker")
        log.error("%s", error)
        sys.exit(2)
    use_metric_files(settings.sentencepiece_model, settings.metric_files, (settings.resources_dir, settings.own_resources_dir))
    locks = share_folder(settings.data_dir), hold_presence(settings.workers_dir, id)
    begin_time = time.monotonic()
    artifacts: ArtifactStore = LocalArtifacts(settings.trained_models_dir)
    with searches_suspended():
        engine = load_engine(Engine.of_settings(settings), language_pairs or None, for_requests=False)
    # Threads and connections begin after the fork.
    assistant = Assistant(OPERATIONS, Tools(engine, artifacts), locks) if "assisted" in sys.argv[3:] else None
    if settings.otel:
        start_tracing("worker")
    database = open_database(
        settings.sqlalchemy_url,
        False,
        settings.database_connections,
        settings.database_wait_seconds,
        settings.secure_delete,
        # A worker that holds the rows of a job without a sign of life keeps it from all others.
        settings.lease_seconds,
    )
    pairs = settings.pairs_of_workers
    note, forget = heartbeat(WorkerStore(database), id, pairs)
    synchronise = None
    if store is not None:
        artifacts, synchronise = SharedArtifacts(artifacts, store), store.synchronise
    scratch = Scratch(settings.steps_dir, settings.min_free_bytes)
    translators = TranslatorFactory.of_settings(services, settings, database, engine.systems)
    tools = Tools(
        engine, artifacts, ModelOwners(database), FeedbackUses(database), AuditLog(database), scratch, translators, synchronise
    )
    log.info("ready after %.1f s", time.monotonic() - begin_time)
    queues = [JobQueue(database, settings.lease_seconds, kinds, pairs) for kinds in kinds_to_avoid("short" in sys.argv[3:])]
    companion = Companion([note], BEAT_SECONDS)
    companion.start()
    # A thread that waits for steps in other processes needs no assistant.
    assistants = [assistant, *[None] * (len(queues) - 1)]
    workers = zip(queues, assistants, strict=True)
    run_until_told(*(Worker(OPERATIONS, tools, queue, id, parent, settings.drain_seconds, aid) for queue, aid in workers))
    companion.stop()
    forget()
    stop_tracing()


def kinds_to_avoid(is_short: bool) -> list[list[str]]:
    """Kinds of jobs that each thread of the process leaves to others: a second thread waits for steps in other processes."""
    steps = {name: operation.steps for name, operation in OPERATIONS.items() if operation.steps is not None}
    if is_short:
        return [[name for name in steps if steps[name].long]]
    return [[name for name in steps if steps[name].outside is outside] for outside in (True, False)]


if __name__ == "__main__":
    main()
