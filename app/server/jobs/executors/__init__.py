"""Executors of workers."""

from app.server.jobs.executors.executor import Executor
from app.server.jobs.executors.processes import ProcessExecutor
from app.server.jobs.executors.ray_machines import RayExecutor

__all__ = ["Executor", "ProcessExecutor", "RayExecutor"]
