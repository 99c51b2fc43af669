"""Where workers run."""

from app.jobs.executors.executor import Executor
from app.jobs.executors.processes import ProcessExecutor

__all__ = ["Executor", "ProcessExecutor"]
