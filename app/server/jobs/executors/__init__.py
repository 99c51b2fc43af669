"""Executors of workers."""

from app.server.jobs.executors.executor import Executor
from app.server.jobs.executors.processes import ProcessExecutor

__all__ = ["Executor", "ProcessExecutor"]
