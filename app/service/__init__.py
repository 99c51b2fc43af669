"""What a running server holds, and the one door through which calls and pages reach it."""

from app.service.access import Access, JobForm, JobRequest
from app.service.door import ANYBODY, NOBODY, SESSION_COOKIE, SESSION_SECONDS, Caller, Door, is_loopback
from app.service.service import Service

__all__ = [
    "ANYBODY",
    "NOBODY",
    "SESSION_COOKIE",
    "SESSION_SECONDS",
    "Access",
    "Caller",
    "Door",
    "JobForm",
    "JobRequest",
    "Service",
    "is_loopback",
]
