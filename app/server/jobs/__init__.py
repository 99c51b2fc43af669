"""Long work: jobs are cut into chunks in the database, and workers execute them step by step.

A chunk's output and the job's progress are written in one transaction, and steps record their results. A job killed at any moment
continues after its last finished chunk, or inside a step from its last record.
"""

from app.server.jobs.executors import Executor, ProcessExecutor, RayExecutor
from app.server.jobs.results import FORMATS, Formulas, blocks_of, memory_stream, result_stream, rows_stream
from app.server.jobs.webhooks import WebhookSender, check_webhook
from app.server.jobs.worker import Worker

__all__ = [
    "FORMATS",
    "Executor",
    "Formulas",
    "ProcessExecutor",
    "RayExecutor",
    "WebhookSender",
    "Worker",
    "blocks_of",
    "check_webhook",
    "memory_stream",
    "result_stream",
    "rows_stream",
]
