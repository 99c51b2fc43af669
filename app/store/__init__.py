"""The database: jobs with what belongs to them, and feedback."""

from app.store.database import open_database
from app.store.feedback import FeedbackStore
from app.store.jobs import JobStore
from app.store.queue import JobQueue, LeaseLostError
from app.store.view import FINAL_STATES, JobAnswer, JobList, JobState, JobView, Origin, job_answer

__all__ = [
    "FINAL_STATES",
    "FeedbackStore",
    "JobAnswer",
    "JobList",
    "JobQueue",
    "JobState",
    "JobStore",
    "JobView",
    "LeaseLostError",
    "Origin",
    "job_answer",
    "open_database",
]
