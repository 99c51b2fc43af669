"""Long work: jobs are cut into chunks in the database, and worker processes finish them one by one.

A chunk's output and the job's progress are written in one transaction, so a job killed at any moment
goes on from its last finished chunk.
"""

from app.jobs.annotation import annotated_file
from app.jobs.kinds import KINDS, JobPlan, plan_job, plan_stream
from app.jobs.results import FORMATS, result_stream
from app.jobs.supervisor import Supervisor
from app.jobs.webhooks import WebhookSender, check_webhook
from app.store.database import open_database
from app.store.feedback import FeedbackCount, FeedbackItem, FeedbackStore
from app.store.jobs import JobStore
from app.store.view import JobView, Origin, job_answer

__all__ = [
    "FORMATS",
    "KINDS",
    "FeedbackCount",
    "FeedbackItem",
    "FeedbackStore",
    "JobPlan",
    "JobStore",
    "JobView",
    "Origin",
    "Supervisor",
    "WebhookSender",
    "annotated_file",
    "check_webhook",
    "job_answer",
    "open_database",
    "plan_job",
    "plan_stream",
    "result_stream",
]
