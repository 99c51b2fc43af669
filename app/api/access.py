"""How endpoints reach the running service."""

from typing import Annotated

from fastapi import Depends, Request

from app.service import Service

__all__ = ["ServiceHere"]


async def _service(request: Request) -> Service:
    # FastAPI would run a plain function in a thread, which costs more than all of this.
    service: Service = request.app.state.service
    return service


ServiceHere = Annotated[Service, Depends(_service)]
