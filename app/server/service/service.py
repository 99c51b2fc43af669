"""State of a running server: engine, database and workers."""

import logging
import os
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Final, NamedTuple

import anyio
from sqlalchemy import Engine as Database

from app.engine import Engine, load_engine
from app.engine.batching import BATCH_LIMIT, Batcher
from app.errors import InputError
from app.metrics import use_metric_files
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Body, Operation
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.work import HEAVY
from app.registry.drift import DriftMonitor
from app.registry.windows import SharedWindows
from app.resources.tagging_process import TaggingProcess
from app.running.garbage import searches_suspended
from app.running.sharing import FileLock, Sharing
from app.server.jobs.presence import share_folder
from app.server.jobs.waiting import with_room
from app.server.service.auditing import Auditing
from app.server.service.authentication import Authenticator, Caller, Proof
from app.server.service.proxies import Proxies
from app.server.service.quotas import Quotas
from app.server.service.readiness import DatabaseWatch
from app.server.service.stores import Stores
from app.server.service.turns import Turns
from app.server.store import AuditLog, UsageStore
from app.server.translation import HttpService, TranslatorFactory, open_services
from app.server.upkeep.duties import Duties
from app.server.upkeep.restoring import complete_restore
from app.settings import Settings

__all__ = ["Question", "Service"]

log = logging.getLogger("assay")
# Views of the models, one for each owner and key, that are held at most.
MOST_VIEWS: Final = 1000
# Folder of the windows of drift among shared files.
DRIFT: Final = "drift"


class Question(NamedTuple):
    """A small request, its cost, and the engine with the models that its caller may see."""

    engine: Engine
    request: Body
    cost: Cost

    @property
    def size(self) -> int:
        """Size in segments of usual length: long segments fill a batch sooner, so that its callers wait briefly."""
        return max(self.cost.amount.segments, BATCH_LIMIT * self.cost.work // HEAVY)


class Service:
    """Loads in the background, so that the server answers /health/live from its first moment.

    With `sharing`, `load` runs before the processes are forked. A process that was forked earlier answers only that the service
    loads; a later one begins to answer at its `start`. Another process has the duties.
    """

    def __init__(self, settings: Settings, sharing: Sharing | None = None) -> None:
        # Invalid settings must be refused before any thread starts.
        self.proxies = Proxies.of(settings)
        self.settings, self.sharing = settings, sharing
        self.database_watch = DatabaseWatch(sharing)
        self._services = open_services(settings)
        turn = None if sharing is None else FileLock(sharing.folder / "usage")
        self.quotas = Quotas(settings, lambda: UsageStore(self.stores.jobs.database, turn=turn))
        self.auditing = Auditing()
        self._engine: Engine | None = None
        self._stores: Stores | None = None
        self._folder: int | None = None
        self._views: dict[tuple[str, frozenset[str] | None, bool], Engine] = {}
        # Closed in reverse order of the start.
        self._running = ExitStack()
        self._running.callback(self._leave_folder)
        self._running.callback(self.quotas.stop)
        self._running.callback(self.auditing.stop)
        self._duties = Duties(settings, self._wait_for_room) if sharing is None else None
        if self._duties is not None:
            self._running.callback(self._duties.stop)
        self._tagging = TaggingProcess() if settings.tagging_process else None
        if self._tagging is not None:
            self._running.callback(self._tagging.stop)
        # Requests without networks do not wait behind those that ask one.
        self.batchers = {
            (name, asks_network): self._batcher(operation)
            for name, operation in OPERATIONS.items()
            if operation.together
            for asks_network in (False, True)
        }
        # Two: with one, a heavy request would wait a minute for another; more would leave no core to small requests.
        self.heavy_threads, self.heavy_turns = anyio.CapacityLimiter(2), Turns(2)
        self.reading_threads = anyio.CapacityLimiter(2)
        # Requests that wait for translation services; each occupies a thread until its service has answered.
        self.translating_threads = anyio.CapacityLimiter(8)
        self.failure: str | None = None
        self.stopping = threading.Event()
        self._loading_end = threading.Event()

    def _batcher(self, operation: Operation[Any, Any]) -> Batcher[Question, Any]:
        """Two threads if one of them may wait for the tagging process; requests of one batch have one engine."""
        assert operation.together is not None
        batching = operation.together

        def answer(questions: Sequence[Question]) -> Sequence[Any]:
            return batching.answer(questions[0].engine, [question.request for question in questions])

        batcher = Batcher(2 if self._tagging else 1, answer, lambda question: question.size)
        self._running.callback(batcher.stop)
        return batcher

    def start(self) -> None:
        """Begin to load and return at once; with `sharing`, begin to answer if the engine is loaded."""
        if self.sharing is None:
            threading.Thread(target=self.load, name="loader", daemon=True).start()
        elif self._engine is not None:
            self._share(self._engine, self.sharing)

    def load(self) -> None:
        """Bring the database up to date and load the engine; a failure is logged and noted."""
        try:
            begin_time = time.monotonic()
            settings = self.settings
            use_metric_files(
                settings.sentencepiece_model, settings.metric_files, (settings.resources_dir, settings.own_resources_dir)
            )
            complete_restore(settings)
            self._folder = with_room(partial(share_folder, settings.data_dir), self._wait_for_room)
            database = with_room(self._open, self._wait_for_room)
            if self._duties is not None:
                self.use(database)
            else:
                # A connection belongs to one process.
                database.dispose()
            with searches_suspended():
                engine = load_engine(Engine.of_settings(settings, self._tagging))
            if self._duties is not None and not self.stopping.is_set():
                self._duties.start(database)
            self._engine = engine
            pairs = ", ".join(map(str, engine.resources.pairs)) or "no language pairs"
            log.info("ready after %.1f s: %s; %d models", time.monotonic() - begin_time, pairs, len(engine.models))
        except Exception as error:
            self.failure = str(error)
            log.exception("loading failed")
        finally:
            self._loading_end.set()

    def _share(self, engine: Engine, sharing: Sharing) -> None:
        """Begin to answer beside other processes with an engine that was loaded before the fork."""
        engine.registry.drift = DriftMonitor(SharedWindows(sharing.folder / DRIFT))
        self.use(self.database_watch.open(self.settings, self.stopping, migrate=False))
        if self._tagging is not None:
            self._tagging.resume()

    def end_threads(self) -> None:
        """End the threads of loading before a fork."""
        if self._tagging is not None:
            self._tagging.stop()

    def use(self, database: Database) -> None:
        """Take an open database; requests that need no model are answered from now on."""
        self.auditing.open(AuditLog(database))
        self._stores = Stores.of(database, self.settings)

    def _open(self) -> Database:
        self.settings.trained_models_dir.mkdir(parents=True, exist_ok=True)
        return self.database_watch.open(self.settings, self.stopping)

    def _wait_for_room(self, seconds: float) -> None:
        if self.stopping.wait(seconds):
            raise InputError("not-ready", "the service was stopped while its disk was full")

    @property
    def has_loaded(self) -> bool:
        """Return True if loading has ended, with or without success."""
        return self._loading_end.is_set()

    def wait(self) -> None:
        """Block until loading has ended, well or badly."""
        self._loading_end.wait()

    def begin_stop(self) -> None:
        """Accept no new requests, end streams of events, and let workers finish; returns at once."""
        self.stopping.set()
        if self._duties is not None:
            self._duties.tell()

    def stop(self) -> None:
        """Let workers finish their chunks and end."""
        self.begin_stop()
        self._running.close()

    def _leave_folder(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    @property
    def ready(self) -> bool:
        """Return True if the service answers requests."""
        return self._engine is not None and not self.stopping.is_set()

    @property
    def stores(self) -> Stores:
        """Stores of the database; InputError until it is open."""
        if self._stores is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._stores

    @property
    def authenticator(self) -> Authenticator | None:
        """Callers by keys and sessions; None until the database is open."""
        return None if self._stores is None else self._stores.authenticator

    @property
    def translators(self) -> TranslatorFactory:
        """Translation services; InputError until the database is open and the engine loaded."""
        return TranslatorFactory.of_settings(self._services, self.settings, self.stores.jobs.database, self.engine.systems)

    @property
    def translation_services(self) -> tuple[str, ...]:
        """Names of the translation services."""
        return tuple(self._services)

    @property
    def sends_sources(self) -> bool:
        """Return True if a service outside this server may get sources."""
        return any(isinstance(service, HttpService) for service in self._services.values())

    def note_full_disk(self) -> None:
        """Note that a disk had no room for a write."""
        if self._stores is not None:
            self._stores.disk_space.note_refusal()

    @property
    def workers(self) -> int:
        """Worker processes that run."""
        return self.sharing.workers.total() if self.sharing is not None else self._duties.workers if self._duties is not None else 0

    @property
    def processes(self) -> int:
        """Processes that answer requests."""
        return self.sharing.running.total() if self.sharing is not None else 1

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
        engine, owners = self.engine, None if self._stores is None else self._stores.model_owners
        if owners is None or (caller.is_admin and not caller.name and caller.models is None):
            return engine
        name = caller.owner, caller.models, caller.is_admin
        if name not in self._views:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()

            def counts(model: str) -> bool:
                is_own = owners.owner_of(model, engine.registry.version) in (None, caller.owner)
                return is_own and (caller.models is None or model in caller.models)

            def visible(model: str) -> bool:
                return caller.models is None or model in caller.models if caller.is_admin else counts(model)

            self._views[name] = engine.with_registry(engine.registry.view(visible, counts))
        return self._views[name]

    def owner_of_model(self, model: str) -> str | None:
        """Owner of a model that was trained here; None for a model of everybody."""
        return None if self._stores is None else self._stores.model_owners.owner_of(model, self.engine.registry.version)

    async def is_open_to(self, caller: Caller) -> bool:
        """Return True if a connected caller may still stay."""
        return self.authenticator is not None and await self.authenticator.is_open_to(caller)

    async def note_refusal(self, what: str) -> None:
        """Record that a key opened nothing."""
        await anyio.to_thread.run_sync(self.auditing.refused, what)

    async def note_sign_in(self, cookie: str) -> None:
        """Record who opened a session."""
        caller = await self.authenticator.caller_of(Proof(cookie, is_session=True)) if self.authenticator is not None else None
        if caller is not None:
            await anyio.to_thread.run_sync(self.auditing.record, caller, "signed-in", "session")

    async def sign_out(self, cookie: str) -> None:
        """End a session, and record whose it was."""
        if self.authenticator is None:
            return
        caller = await self.authenticator.caller_of(Proof(cookie, is_session=True))
        await anyio.to_thread.run_sync(self.authenticator.end_session, cookie)
        if caller is not None:
            await anyio.to_thread.run_sync(self.auditing.record, caller, "signed-out", "session")
