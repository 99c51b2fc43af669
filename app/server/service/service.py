"""What a running server holds: engine, database and workers, and whether they are ready."""

import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import anyio
from sqlalchemy import Engine as Database

from app.engine import Engine, load_engine
from app.engine.batching import MOST_TOGETHER, Batcher
from app.errors import InputError
from app.metrics import use_sentencepiece
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Body, Operation
from app.operations.parts.work import HEAVY
from app.resources.tagger import TaggerChoice
from app.resources.tagging_process import TaggingProcess
from app.server.jobs import Executor, ProcessExecutor, WebhookSender
from app.server.jobs.presence import share_folder
from app.server.jobs.waiting import with_room
from app.server.service.access import Access
from app.server.service.auditing import Auditing
from app.server.service.door import Caller, Door, Proof
from app.server.service.proxies import Proxies
from app.server.service.quotas import Quotas
from app.server.service.readiness import DatabaseWatch
from app.server.store import (
    AuditLog,
    FeedbackStore,
    FeedbackUses,
    JobQueue,
    JobStore,
    KeyStore,
    ModelOwners,
    UsageStore,
    job_answer,
)
from app.server.upkeep.disk_space import DiskSpace
from app.server.upkeep.forgetting import Forgetting
from app.server.upkeep.restoring import complete_restore
from app.server.upkeep.retention import Retention, Sweeper
from app.settings import Settings

__all__ = ["Service"]

log = logging.getLogger("assay")
# A small request, and the engine with what its caller may see.
Question = tuple[Engine, Body]
# Owners whose view of the models is kept.
MOST_VIEWS: Final = 1000


class Service:
    """Loads in the background, so that the server answers /health/live from its first moment."""

    def __init__(self, settings: Settings) -> None:
        # First, since what is refused here should leave nothing running.
        self.proxies = Proxies.of(settings)
        self.settings = settings
        self._engine: Engine | None = None
        self.database_watch = DatabaseWatch()
        self._jobs: JobStore | None = None
        self._feedback: FeedbackStore | None = None
        self._uses: FeedbackUses | None = None
        self._owners: ModelOwners | None = None
        self._folder: int | None = None
        self._disk_space: DiskSpace | None = None
        self._forgetting: Forgetting | None = None
        self._views: dict[tuple[str, frozenset[str] | None, bool], Engine] = {}
        self.door: Door | None = None
        self.quotas = Quotas(settings, lambda: UsageStore(self.jobs.database))
        self.auditing = Auditing()
        self._executor: Executor | None = None
        self._webhooks: WebhookSender | None = None
        self._sweeper: Sweeper | None = None
        self._tagging = TaggingProcess() if settings.tagging_process else None
        self._batchers = {name: self._batcher(operation) for name, operation in OPERATIONS.items() if operation.together}
        # Two: one would let a heavy request wait for another's minute, more would leave no core to small ones.
        self.heavy_threads = anyio.CapacityLimiter(2)
        self.reading_threads = anyio.CapacityLimiter(2)
        self.failure: str | None = None
        self.stopping = threading.Event()
        self._loaded = threading.Event()

    def _batcher(self, operation: Operation[Any, Any]) -> Batcher[Question, Any]:
        """Two threads where one of them may wait for the tagging process; those of one batch ask one engine."""
        assert operation.together is not None
        together = operation.together

        def answer(questions: Sequence[Question]) -> Sequence[Any]:
            return together.answer(questions[0][0], [request for _, request in questions])

        def size(question: Question) -> int:
            engine, request = question
            return max(together.size(request), MOST_TOGETHER * operation.work_by(engine, request) // HEAVY)

        return Batcher(2 if self._tagging else 1, answer, size)

    def start(self) -> None:
        """Begin to load; returns at once."""
        threading.Thread(target=self._load, name="loader", daemon=True).start()

    def _load(self) -> None:
        try:
            begun = time.monotonic()
            settings = self.settings
            use_sentencepiece(settings.sentencepiece_model)
            complete_restore(settings)
            self._folder = with_room(partial(share_folder, settings.data_dir), self._wait_for_room)
            database = with_room(self._open, self._wait_for_room)
            self.use(database)
            opened = Engine.open(
                settings.resources_dir,
                settings.models_dir,
                settings.trained_models_dir,
                TaggerChoice.of(settings.linear_taggers, self._tagging),
                own_resources=settings.own_resources_dir,
                profile=settings.profile,
                encoder=settings.encoder,
                encoder_threads=settings.encoding_threads,
                checkpoints=settings.checkpoints,
            )
            engine = load_engine(opened)
            if not self.stopping.is_set():
                self._executor = ProcessExecutor(settings, JobQueue(database, settings.lease_seconds))
                with_room(self._executor.start, self._wait_for_room)
                self._sweeper = Sweeper(Retention(database, settings))
                self._sweeper.start()
                if settings.webhook_hosts and settings.webhook_secret:
                    self._webhooks = WebhookSender(database, settings.webhook_secret, partial(_described, self.jobs))
                    self._webhooks.start()
            self._engine = engine
            pairs = ", ".join(map(str, engine.resources.pairs)) or "no language pairs"
            log.info("ready after %.1f s: %s; %d models", time.monotonic() - begun, pairs, len(engine.models))
        except Exception as error:
            self.failure = str(error)
            log.exception("loading failed")
        finally:
            self._loaded.set()

    def use(self, database: Database) -> None:
        """Take a database that is open; what needs no model is answered from now on."""
        self._uses = FeedbackUses(database)
        self._jobs, self._feedback, self._owners = JobStore(database), FeedbackStore(database), ModelOwners(database)
        self.auditing.open(AuditLog(database))
        self._disk_space, self._forgetting = DiskSpace(self.settings, database), Forgetting(database, self.settings)
        self.door = Door(KeyStore(database))

    def _open(self) -> Database:
        self.settings.trained_models_dir.mkdir(parents=True, exist_ok=True)
        return self.database_watch.open(self.settings, self.stopping)

    def _wait_for_room(self, seconds: float) -> None:
        if self.stopping.wait(seconds):
            raise InputError("not-ready", "the service was stopped before it had room to begin")

    @property
    def has_loaded(self) -> bool:
        """Whether loading has ended, well or badly."""
        return self._loaded.is_set()

    def wait(self) -> None:
        """Block until loading has ended, well or badly."""
        self._loaded.wait()

    def begin_stop(self) -> None:
        """Be ready for nothing new, end streams of events, and let workers finish what they do; returns at once."""
        self.stopping.set()
        if self._executor is not None:
            self._executor.tell()

    def stop(self) -> None:
        """Let workers finish their chunks and end."""
        self.begin_stop()
        if self._executor is not None:
            self._executor.stop()
        if self._webhooks is not None:
            self._webhooks.stop()
        if self._sweeper is not None:
            self._sweeper.stop()
        for batcher in self._batchers.values():
            batcher.stop()
        if self._tagging is not None:
            self._tagging.stop()
        self.auditing.stop()
        self.quotas.stop()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    @property
    def ready(self) -> bool:
        """Whether requests can be answered."""
        return self._engine is not None and not self.stopping.is_set()

    @property
    def disk_space(self) -> DiskSpace:
        """Room on the disks; InputError while there is no database."""
        if self._disk_space is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._disk_space

    @property
    def forgetting(self) -> Forgetting:
        """What deletes all of a person; InputError while there is no database."""
        if self._forgetting is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._forgetting

    def note_full_disk(self) -> None:
        """Something found no room on a disk."""
        if self._disk_space is not None:
            self._disk_space.note_refusal()

    @property
    def workers(self) -> int:
        """Worker processes that run."""
        return self._executor.alive() if self._executor is not None else 0

    @property
    def batchers(self) -> Mapping[str, Batcher[Question, Any]]:
        """What answers small requests of an operation together."""
        return self._batchers

    def for_caller(self, caller: Caller) -> Access:
        """What a caller may do; the one door of calls and pages."""
        return Access(self, caller)

    @property
    def engine(self) -> Engine:
        """The loaded engine; InputError while there is none."""
        if self._engine is None:
            detail = (
                "loading failed; see the server's log"
                if self.failure
                else "resources are still being loaded; ask again in a moment"
            )
            raise InputError("not-ready", detail)
        return self._engine

    def engine_for(self, caller: Caller) -> Engine:
        """The engine with the models that a caller may see: its owner's, everybody's, and of these what its key names.

        An administrator may name those of others too; they do not answer where none is named.
        """
        whole, owners = self.engine, self._owners
        if owners is None or (caller.is_admin and not caller.name and caller.models is None):
            return whole
        name = caller.owner, caller.models, caller.is_admin
        if name not in self._views:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()

            def counts(model: str) -> bool:
                own = owners.owner_of(model, whole.registry.version) in (None, caller.owner)
                return own and (caller.models is None or model in caller.models)

            def visible(model: str) -> bool:
                return caller.models is None or model in caller.models if caller.is_admin else counts(model)

            self._views[name] = whole.seen_by(whole.registry.seen_by(visible, counts))
        return self._views[name]

    def owner_of_model(self, model: str) -> str | None:
        """Whose a model is that was trained here; None where it is everybody's."""
        return None if self._owners is None else self._owners.owner_of(model, self.engine.registry.version)

    async def is_open_to(self, caller: Caller) -> bool:
        """Whether somebody who came in may still stay."""
        return self.door is not None and await self.door.is_open_to(caller)

    async def note_refusal(self, what: str) -> None:
        """Record that a key opened nothing."""
        await anyio.to_thread.run_sync(self.auditing.refused, what)

    async def note_sign_in(self, cookie: str) -> None:
        """Record who opened a session."""
        caller = await self.door.caller_of(Proof(cookie, is_session=True)) if self.door is not None else None
        if caller is not None:
            await anyio.to_thread.run_sync(self.auditing.record, caller, "signed-in", "session")

    async def sign_out(self, cookie: str) -> None:
        """End a session, and record whose it was."""
        if self.door is None:
            return
        caller = await self.door.caller_of(Proof(cookie, is_session=True))
        await anyio.to_thread.run_sync(self.door.end_session, cookie)
        if caller is not None:
            await anyio.to_thread.run_sync(self.auditing.record, caller, "signed-out", "session")

    @property
    def jobs(self) -> JobStore:
        """The jobs; InputError while there is no database."""
        if self._jobs is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._jobs

    @property
    def feedback(self) -> FeedbackStore:
        """What users said of translations; InputError while there is no database."""
        if self._feedback is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._feedback

    @property
    def feedback_uses(self) -> FeedbackUses:
        """Which models learnt from what users said; InputError while there is no database."""
        if self._uses is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._uses


def _described(jobs: JobStore, job: str) -> Any:
    return job_answer(jobs.get(job))
