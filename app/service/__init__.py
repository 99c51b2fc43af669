"""What a running server holds, and the one door through which calls and pages reach it."""

from app.service.access import Access
from app.service.door import (
    ANYBODY,
    NOBODY,
    REMEMBERED_SECONDS,
    SESSION_COOKIE,
    SESSION_SECONDS,
    Caller,
    Door,
    Proof,
    is_loopback,
    session_in,
)
from app.service.job_requests import JobForm, JobRequest, ResultForm
from app.service.judgements import EXPORTS
from app.service.proxies import Proxies, address_of
from app.service.service import Service
from app.service.watching import name_caller

__all__ = [
    "ANYBODY",
    "EXPORTS",
    "NOBODY",
    "REMEMBERED_SECONDS",
    "SESSION_COOKIE",
    "SESSION_SECONDS",
    "Access",
    "Caller",
    "Door",
    "JobForm",
    "JobRequest",
    "Proof",
    "Proxies",
    "ResultForm",
    "Service",
    "address_of",
    "is_loopback",
    "name_caller",
    "session_in",
]
