"""Bodies in which an object names a member twice are refused: one of two systems of one name would vanish unseen."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from app.errors import InputError

__all__ = ["TWICE", "UniqueNamesRoute", "read_json"]

TWICE: Final = "a name occurs twice in one object"


class _UniqueNamesRequest(Request):
    async def json(self) -> Any:
        """The body; JSONDecodeError also where a name occurs twice in one object."""
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = json.loads(body, object_pairs_hook=_unique)
        return self._json


def read_json(raw: bytes) -> Any:
    """A body that no route has read; InputError where it is not JSON, or a name occurs twice in one object."""
    try:
        return json.loads(raw, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        twice = isinstance(error, json.JSONDecodeError) and error.msg == TWICE
        raise InputError("invalid-json", TWICE if twice else "the body could not be read as JSON") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise json.JSONDecodeError(TWICE, "", 0)
    return members


class UniqueNamesRoute(APIRoute):
    """A route that reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, on the stricter request."""
        original = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await original(_UniqueNamesRequest(request.scope, request.receive))

        return handler
