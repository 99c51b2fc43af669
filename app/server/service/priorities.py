"""Which jobs may go before those of others."""

from app.server.service.door import Caller
from app.server.store import NORMAL, PRIORITIES, Priority

__all__ = ["priority_of"]


def priority_of(caller: Caller, asked_for: object) -> Priority:
    """The priority that a request asks for, `normal` where it is none; InputError where the caller may not have it.

    What is no priority at all is refused with the rest of the request.
    """
    priority = next((name for name in PRIORITIES if name == asked_for), NORMAL)
    if priority == PRIORITIES[0]:
        caller.require_admin(("priority",))
    return priority
