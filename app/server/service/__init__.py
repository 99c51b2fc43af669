"""State of a running server, and the access of calls and pages to it."""

from app.server.service.access import Access
from app.server.service.authentication import (
    CACHE_SECONDS,
    KEYLESS_CALLER,
    POWERLESS_CALLER,
    SESSION_SECONDS,
    Authenticator,
    Caller,
    Proof,
    is_loopback,
    session_cookie,
    session_in,
)
from app.server.service.job_requests import JobForm, JobRequest, ResultForm
from app.server.service.judgements import EXPORTS
from app.server.service.proxies import Proxies, address_of
from app.server.service.service import Service
from app.server.service.watching import name_caller

__all__ = [
    "CACHE_SECONDS",
    "EXPORTS",
    "KEYLESS_CALLER",
    "POWERLESS_CALLER",
    "SESSION_SECONDS",
    "Access",
    "Authenticator",
    "Caller",
    "JobForm",
    "JobRequest",
    "Proof",
    "Proxies",
    "ResultForm",
    "Service",
    "address_of",
    "is_loopback",
    "name_caller",
    "session_cookie",
    "session_in",
]
