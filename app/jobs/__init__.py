"""Long work: jobs are cut into chunks in the database, and worker processes finish them one by one.

A chunk's output and the job's progress are written in one transaction, so a job killed at any moment
goes on from its last finished chunk.
"""

from app.jobs.database import open_database
from app.jobs.feedback import FeedbackCount, FeedbackItem, FeedbackStore
from app.jobs.kinds import KINDS, JobPlan, plan_job, plan_stream
from app.jobs.results import FORMATS, result_stream
from app.jobs.store import JobStore, JobView
from app.jobs.supervisor import Supervisor

__all__ = [
    "FORMATS",
    "KINDS",
    "FeedbackCount",
    "FeedbackItem",
    "FeedbackStore",
    "JobPlan",
    "JobStore",
    "JobView",
    "Supervisor",
    "open_database",
    "plan_job",
    "plan_stream",
    "result_stream",
]
