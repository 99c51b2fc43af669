"""The database: jobs and what belongs to them, feedback, keys and their usage, whose models are whose, and who did what."""

from app.store.audit import Actor, AuditEntry, AuditFilter, AuditLog, Verdict
from app.store.corrections import CorrectionStore
from app.store.database import DatabaseUnavailableError, check_database, open_database
from app.store.feedback import FeedbackStore
from app.store.feedback_uses import FeedbackUses
from app.store.jobs import JobStore, no_job
from app.store.keys import ADMIN, RESERVED, SCOPES, SESSION_SECONDS, Key, KeyStore
from app.store.model_owners import ModelOwners
from app.store.queue import JobQueue, LeaseLostError
from app.store.turns import HIGH, NORMAL, PRIORITIES, Priority
from app.store.usage import Admission, Charge, Usage, UsageStore
from app.store.view import FINAL_STATES, JobAnswer, JobList, JobState, JobView, Origin, job_answer

__all__ = [
    "ADMIN",
    "FINAL_STATES",
    "HIGH",
    "NORMAL",
    "PRIORITIES",
    "RESERVED",
    "SCOPES",
    "SESSION_SECONDS",
    "Actor",
    "Admission",
    "AuditEntry",
    "AuditFilter",
    "AuditLog",
    "Charge",
    "CorrectionStore",
    "DatabaseUnavailableError",
    "FeedbackStore",
    "FeedbackUses",
    "JobAnswer",
    "JobList",
    "JobQueue",
    "JobState",
    "JobStore",
    "JobView",
    "Key",
    "KeyStore",
    "LeaseLostError",
    "ModelOwners",
    "Origin",
    "Priority",
    "Usage",
    "UsageStore",
    "Verdict",
    "check_database",
    "job_answer",
    "no_job",
    "open_database",
]
