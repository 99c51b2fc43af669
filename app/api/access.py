"""How endpoints reach the running service."""

from typing import Annotated

from fastapi import Depends, Request

from app.service import Service

__all__ = ["ServiceHere"]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


ServiceHere = Annotated[Service, Depends(_service)]
