"""The tables: jobs and their parts, shares of owners, feedback, keys and usage, owners of models, translations of services."""

from typing import Final

from sqlalchemy import BigInteger, Float, ForeignKey, Index, Integer, LargeBinary, String, Text, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = [
    "AuditHeadRow",
    "AuditLogRow",
    "CheckpointRow",
    "ChunkRow",
    "CorrectionRow",
    "FeedbackRow",
    "FeedbackUseRow",
    "FileRow",
    "JobRow",
    "KeyRow",
    "ModelOwnerRow",
    "PublicationRow",
    "ServiceDayRow",
    "SessionRow",
    "ShareRow",
    "Tables",
    "TranslationRow",
    "UsageRow",
    "WorkerRow",
]

# Not by its state, which has an index that SQLite would take instead.
UNFINISHED_ROWS: Final = text("finished IS NULL")


def _index_of_unfinished(name: str, *columns: str) -> Index:
    """An index of the jobs that are not finished, which is small however many there were."""
    return Index(name, *columns, sqlite_where=UNFINISHED_ROWS, postgresql_where=UNFINISHED_ROWS)


class Tables(DeclarativeBase):
    """All tables; Alembic's migrations make them."""


class JobRow(Tables):
    """One job. Times are seconds since 1970; `params` and `summary` are JSON.

    `owner` is the owner of the key that created the job; empty without a named owner. A job is taken by writing `worker`, the id
    of a process, and `lease_expires`; whoever does not renew the lease loses it. `attempts` counts takings since anything was
    last recorded. `step` is the current action inside a chunk or at the end, and `step_share` its share that is done.
    `webhook_due` is when to tell of its end next; 0 where that is over. `priority` and `rank` say when it is its turn
    (`app.server.store.turns`): the lowest first. `checkpoint_bytes` is the size of its checkpoint, `stored_bytes` that of all
    else it holds, so that an owner's storage is a sum over an index. `traceparent` is the trace of the request that made it.
    `taken` is when the present worker began, with `done_when_taken` rows, and `progressed` when rows were last added to `done`.
    `pair` is its language pair, if it has one, and `version` the number of the version that planned it.
    `input_expired` is when the texts and files that it came with were deleted, `expired` when all else that it held was.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_owner_idempotency_key", "owner", "idempotency_key", unique=True),
        _index_of_unfinished("ix_jobs_turn", "priority", "owner", "rank", "id"),
        _index_of_unfinished("ix_jobs_oldest", "created", "id"),
        Index("ix_jobs_owner_bytes", "owner", "stored_bytes", "checkpoint_bytes"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16), index=True)
    params: Mapped[str] = mapped_column(Text)
    total: Mapped[int] = mapped_column(Integer)
    done: Mapped[int] = mapped_column(Integer, default=0)
    created: Mapped[float] = mapped_column(Float, index=True)
    started: Mapped[float | None] = mapped_column(Float)
    finished: Mapped[float | None] = mapped_column(Float)
    taken: Mapped[float | None] = mapped_column(Float)
    done_when_taken: Mapped[int] = mapped_column(Integer, default=0)
    progressed: Mapped[float | None] = mapped_column(Float)
    worker: Mapped[str | None] = mapped_column(String(64))
    lease_expires: Mapped[float] = mapped_column(Float, default=0.0)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    cancel_requested: Mapped[int] = mapped_column(Integer, default=0)
    error: Mapped[str | None] = mapped_column(Text)
    summary: Mapped[str | None] = mapped_column(Text)
    step: Mapped[str | None] = mapped_column(Text)
    step_share: Mapped[float | None] = mapped_column(Float)
    owner: Mapped[str] = mapped_column(String(100), default="", server_default="")
    idempotency_key: Mapped[str | None] = mapped_column(String(200))
    request_digest: Mapped[str | None] = mapped_column(String(64))
    webhook: Mapped[str | None] = mapped_column(Text)
    webhook_due: Mapped[float | None] = mapped_column(Float, index=True)
    webhook_attempts: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    priority: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    rank: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")
    stored_bytes: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    checkpoint_bytes: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    traceparent: Mapped[str | None] = mapped_column(String(64))
    input_expired: Mapped[float | None] = mapped_column(Float)
    expired: Mapped[float | None] = mapped_column(Float)
    pair: Mapped[str | None] = mapped_column(String(64))
    version: Mapped[int] = mapped_column(Integer, default=0, server_default="0")


class WorkerRow(Tables):
    """A worker process with its machine, version and pairs (empty: all), and the time of its last sign of life."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    version: Mapped[str] = mapped_column(String(32))
    pairs: Mapped[str] = mapped_column(Text)
    last_sign: Mapped[float] = mapped_column(Float, index=True)


class ShareRow(Tables):
    """Recent work for an owner, as `app.server.store.turns` counts it: the lowest goes first."""

    __tablename__ = "owner_shares"
    __table_args__ = (Index("ix_owner_shares_served", "served", "owner"),)

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    served: Mapped[float] = mapped_column(Float)


class FileRow(Tables):
    """A piece of a file that a job came in, compressed."""

    __tablename__ = "job_files"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ChunkRow(Tables):
    """A part of a job: compressed JSON in, compressed JSON out; no output means not finished."""

    __tablename__ = "chunks"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    rows: Mapped[int] = mapped_column(Integer)
    input: Mapped[bytes] = mapped_column(LargeBinary)
    output: Mapped[bytes | None] = mapped_column(LargeBinary)


class CheckpointRow(Tables):
    """Arrays that a step of a job recorded, several a row; they go when the step is finished."""

    __tablename__ = "checkpoints"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class PublicationRow(Tables):
    """A part of a job's answer that can be seen before its end: compressed JSON."""

    __tablename__ = "publications"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    updated: Mapped[float] = mapped_column(Float)


class CorrectionRow(Tables):
    """A correction of a translation in a job's result; `segment` counts from 1, as rows do for people.

    `revision` counts all changes from 1. `text` is null where it was taken back: the row stays, so that what was based on a
    revision of before still is a conflict. `author` changed it last, with a key of `author_owner`. `feedback` is its judgement.
    `assessment` is compressed JSON. `stored_bytes` is the size of text and assessment, part of the job's size.
    """

    __tablename__ = "corrections"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    segment: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(Integer)
    text: Mapped[str | None] = mapped_column(Text)
    author: Mapped[str] = mapped_column(String(100))
    author_owner: Mapped[str] = mapped_column(String(100), index=True)
    created: Mapped[float] = mapped_column(Float)
    changed: Mapped[float] = mapped_column(Float)
    feedback: Mapped[str | None] = mapped_column(String(32))
    stored_bytes: Mapped[int] = mapped_column(Integer)
    assessment: Mapped[bytes | None] = mapped_column(LargeBinary)


class FeedbackRow(Tables):
    """A user's judgement of one translation: `value` of `label`, computed from a post-edit if one was sent.

    `content` is compressed JSON, of `stored_bytes`: source, translation, post-edit and side information. Rows that are `held_back`
    (1) never train; they say whether a new version is better.
    """

    __tablename__ = "feedback"
    __table_args__ = (Index("ix_feedback_owner_bytes", "owner", "stored_bytes"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    created: Mapped[float] = mapped_column(Float, index=True)
    pair: Mapped[str] = mapped_column(String(64), index=True)
    label: Mapped[str] = mapped_column(String(64))
    value: Mapped[float] = mapped_column(Float)
    held_back: Mapped[int] = mapped_column(Integer)
    model: Mapped[str | None] = mapped_column(String(200))
    origin: Mapped[str] = mapped_column(String(200))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    owner: Mapped[str] = mapped_column(String(100), default="", server_default="")
    stored_bytes: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")


class FeedbackUseRow(Tables):
    """A model that learnt from a judgement."""

    __tablename__ = "feedback_uses"

    feedback: Mapped[str] = mapped_column(String(32), primary_key=True)
    model: Mapped[str] = mapped_column(String(200), primary_key=True, index=True)


class KeyRow(Tables):
    """A caller's key: the SHA-256 of its token, which is kept nowhere. Times are seconds since 1970.

    `scopes` is a JSON list; `pairs` and `models` are JSON lists of the permitted ones, null without a restriction. `rates` are as
    they are written, `jobs_at_once` and `stored_bytes` are numbers, 0 for no limit; for what is null the settings hold.
    """

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    owner: Mapped[str] = mapped_column(String(100))
    digest: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[str] = mapped_column(Text)
    pairs: Mapped[str | None] = mapped_column(Text)
    models: Mapped[str | None] = mapped_column(Text)
    created: Mapped[float] = mapped_column(Float)
    expires: Mapped[float | None] = mapped_column(Float)
    revoked: Mapped[float | None] = mapped_column(Float)
    used: Mapped[float | None] = mapped_column(Float)
    rates: Mapped[str | None] = mapped_column(Text)
    jobs_at_once: Mapped[int | None] = mapped_column(Integer)
    stored_bytes: Mapped[int | None] = mapped_column(BigInteger)


class UsageRow(Tables):
    """Usage by a key, or by an owner over all keys (`key` is empty then), in a window of the calendar.

    `period` is `minute`, `day` or `month`, `start` when it began, in seconds since 1970.
    """

    __tablename__ = "usage_counts"

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    period: Mapped[str] = mapped_column(String(6), primary_key=True)
    start: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    segments: Mapped[int] = mapped_column(BigInteger)
    characters: Mapped[int] = mapped_column(BigInteger)
    requests: Mapped[int] = mapped_column(BigInteger)
    jobs: Mapped[int] = mapped_column(BigInteger)


class SessionRow(Tables):
    """A browser's session: the SHA-256 of its cookie, which is kept nowhere, and the key that it was opened with."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"), index=True)
    expires: Mapped[float] = mapped_column(Float, index=True)


class TranslationRow(Tables):
    """A translation of a service for an owner; `digest` is the SHA-256 of the service, the languages and the source."""

    __tablename__ = "translations"

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    created: Mapped[float] = mapped_column(Float, index=True)


class ServiceDayRow(Tables):
    """Characters that were sent to a translation service on a day, which counts from 1970 (UTC)."""

    __tablename__ = "service_days"

    service: Mapped[str] = mapped_column(String(100), primary_key=True)
    day: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    characters: Mapped[int] = mapped_column(BigInteger)


class ModelOwnerRow(Tables):
    """Owner of a model."""

    __tablename__ = "model_owners"

    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    owner: Mapped[str] = mapped_column(String(100))


class AuditLogRow(Tables):
    """An action with actor, object and time (seconds since 1970); triggers refuse to change or delete it.

    `detail` is a small JSON object of numbers and names. `hash` is the SHA-256 of the row before and of this one, in hexadecimal.
    A migration that copies this table must make its triggers again: a copy has none.
    """

    __tablename__ = "audit"

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    time: Mapped[float] = mapped_column(Float, index=True)
    actor: Mapped[str] = mapped_column(String(100))
    owner: Mapped[str] = mapped_column(String(100))
    request: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(32))
    thing: Mapped[str] = mapped_column(String(32))
    thing_id: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str] = mapped_column(Text)
    hash: Mapped[str] = mapped_column(String(64))


class AuditHeadRow(Tables):
    """Single row with the start and the end (`number`, `hash`) of the chain of `AuditLogRow`.

    Rows before `first` have expired; `anchor` is the hash of the last of them. An append locks this row, so that one chain grows.
    """

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str] = mapped_column(String(64))
    first: Mapped[int] = mapped_column(BigInteger)
    anchor: Mapped[str] = mapped_column(String(64))
