"""Long work: jobs are cut into chunks in the database, and workers execute them step by step.

A chunk's output and the job's progress are written in one transaction, and steps record what they compute, so a job killed at any
moment goes on from its last finished chunk, and inside a step from what it last recorded.
"""

from app.server.jobs.executors import Executor, ProcessExecutor
from app.server.jobs.results import FORMATS, Formulas, memory_stream, result_stream, rows_stream
from app.server.jobs.webhooks import WebhookSender, check_webhook
from app.server.jobs.worker import Worker

__all__ = [
    "FORMATS",
    "Executor",
    "Formulas",
    "ProcessExecutor",
    "WebhookSender",
    "Worker",
    "check_webhook",
    "memory_stream",
    "result_stream",
    "rows_stream",
]
