"""The database: jobs and their data, feedback, keys and usage, owners of models, and the audit log."""

from app.server.store.audit import Actor, AuditEntry, AuditFilter, AuditLog, Verdict
from app.server.store.corrections import CorrectionStore
from app.server.store.database import DatabaseDamagedError, DatabaseUnavailableError, check_database, is_damaged, open_database
from app.server.store.feedback import FeedbackStore
from app.server.store.feedback_uses import FeedbackUses
from app.server.store.jobs import JobStore, no_job
from app.server.store.keys import ADMIN, RESERVED_NAMES, SCOPES, SESSION_SECONDS, Key, KeyStore
from app.server.store.model_owners import ModelOwners
from app.server.store.queue import JobQueue, LeaseLostError
from app.server.store.turns import HIGH, NORMAL, PRIORITIES, Priority
from app.server.store.usage import JobAdmission, Usage, UsageStore
from app.server.store.view import FINAL_STATES, JobAnswer, JobList, JobOrigin, JobState, JobView, job_answer

__all__ = [
    "ADMIN",
    "FINAL_STATES",
    "HIGH",
    "NORMAL",
    "PRIORITIES",
    "RESERVED_NAMES",
    "SCOPES",
    "SESSION_SECONDS",
    "Actor",
    "AuditEntry",
    "AuditFilter",
    "AuditLog",
    "CorrectionStore",
    "DatabaseDamagedError",
    "DatabaseUnavailableError",
    "FeedbackStore",
    "FeedbackUses",
    "JobAdmission",
    "JobAnswer",
    "JobList",
    "JobOrigin",
    "JobQueue",
    "JobState",
    "JobStore",
    "JobView",
    "Key",
    "KeyStore",
    "LeaseLostError",
    "ModelOwners",
    "Priority",
    "Usage",
    "UsageStore",
    "Verdict",
    "check_database",
    "is_damaged",
    "job_answer",
    "no_job",
    "open_database",
]
