"""Who a request comes from: the one place that says it, for calls and pages."""

from typing import Annotated

from fastapi import Depends, Request

from app.service.access import Access, Caller
from app.service.service import Service

__all__ = ["AccessHere"]

ANYBODY = Caller()


async def _access(request: Request) -> Access:
    # FastAPI would run a plain function in a thread, which costs more than all of this.
    service: Service = request.app.state.service
    return service.for_caller(ANYBODY)


AccessHere = Annotated[Access, Depends(_access)]
