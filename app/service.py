"""What a running server holds: engine, job store and workers, and whether they are ready."""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from app.answers import quality_rows
from app.engine import Engine
from app.engine.batching import Batcher
from app.engine.segments import Options, QualityAnswer, Segments
from app.errors import InputError
from app.jobs import FeedbackStore, JobStore, Supervisor, WebhookSender, job_answer, open_database
from app.metrics import use_sentencepiece
from app.resources.tagging_process import TaggingProcess
from app.settings import Settings

__all__ = ["Service"]

log = logging.getLogger("assay")


@dataclass(frozen=True)
class _Question:
    segments: Segments
    model: str | None
    label: str | None
    options: Options


Answer = tuple[QualityAnswer, list[dict[str, Any]]]


class Service:
    """Loads in the background, so that the server answers /health/live from its first moment."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._engine: Engine | None = None
        self._store: JobStore | None = None
        self._feedback: FeedbackStore | None = None
        self.supervisor: Supervisor | None = None
        self._webhooks: WebhookSender | None = None
        self._tagging = TaggingProcess() if settings.tagging_process else None
        self.batcher: Batcher[_Question, Answer] = Batcher(
            2 if settings.tagging_process else 1, self._answer_together, lambda question: len(question.segments)
        )
        self.failure: str | None = None
        self.stopping = threading.Event()
        self._loaded = threading.Event()

    def start(self) -> None:
        """Begin to load; returns at once."""
        threading.Thread(target=self._load, name="loader", daemon=True).start()

    def _load(self) -> None:
        try:
            begun = time.monotonic()
            settings = self.settings
            use_sentencepiece(settings.sentencepiece_model)
            settings.trained_models_dir.mkdir(parents=True, exist_ok=True)
            database = open_database(settings.sqlalchemy_url)
            store = JobStore(database, settings.lease_seconds)
            self._store, self._feedback = store, FeedbackStore(database)
            engine = Engine.load(settings.resources_dir, settings.models_dir, settings.trained_models_dir, self._tagging)
            if not self.stopping.is_set():
                self.supervisor = Supervisor(settings, store)
                self.supervisor.start()
                if settings.webhook_hosts and settings.webhook_secret:
                    self._webhooks = WebhookSender(database, settings.webhook_secret, lambda job: job_answer(store.get(job)))
                    self._webhooks.start()
            self._engine = engine
            pairs = ", ".join(map(str, engine.resources.pairs)) or "no language pairs"
            log.info("ready after %.1f s: %s; %d models", time.monotonic() - begun, pairs, len(engine.models))
        except Exception as error:
            self.failure = str(error)
            log.exception("loading failed")
        finally:
            self._loaded.set()

    async def quality(self, segments: Segments, model: str | None, label: str | None, options: Options) -> Answer:
        """The answer of a batch that these segments were part of (its model and options), and their own rows."""
        key = (segments.pair, model, label, options, segments.sent)
        return await self.batcher.answer(_Question(segments, model, label, options), key)

    def _answer_together(self, questions: Sequence[_Question]) -> list[Answer]:
        first, parts = questions[0], [question.segments for question in questions]
        answer = self.engine.quality(Segments.joined(parts), first.model, first.label, first.options)
        rows = iter(quality_rows(answer))
        return [(answer, list(islice(rows, len(part)))) for part in parts]

    def wait(self) -> None:
        """Block until loading has ended, well or badly."""
        self._loaded.wait()

    def stop(self) -> None:
        """Let workers finish their chunks and end."""
        self.stopping.set()
        if self.supervisor is not None:
            self.supervisor.stop()
        if self._webhooks is not None:
            self._webhooks.stop()
        self.batcher.stop()
        if self._tagging is not None:
            self._tagging.stop()

    @property
    def ready(self) -> bool:
        """Whether requests can be answered."""
        return self._engine is not None and not self.stopping.is_set()

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

    @property
    def store(self) -> JobStore:
        """The job store; InputError while there is none."""
        if self._store is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._store

    @property
    def feedback(self) -> FeedbackStore:
        """What users said of translations; InputError while there is no database."""
        if self._feedback is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._feedback
