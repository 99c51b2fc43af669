"""Access of a request's caller, for calls and pages."""

from typing import Annotated

from fastapi import Depends, Request

from app.server.service.access import Access
from app.server.service.service import Service

__all__ = ["RequestAccess"]


async def _access(request: Request) -> Access:
    # FastAPI would run a plain function in a thread, which costs more than all of this. The guard has said who calls.
    service: Service = request.app.state.service
    return Access(service, request.scope["caller"])


RequestAccess = Annotated[Access, Depends(_access)]
