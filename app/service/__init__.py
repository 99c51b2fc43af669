"""What a running server holds, and the one door through which calls and pages reach it."""

from app.service.access import Access, Caller, JobForm, JobRequest
from app.service.service import Service

__all__ = ["Access", "Caller", "JobForm", "JobRequest", "Service"]
