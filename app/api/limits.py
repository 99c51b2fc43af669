"""Refusing bodies by their announced size, before a byte is read; and requests beyond what can wait.

Starlette's own limit, which stops bodies that lie about their size or announce none, answers plain
text in this case; ours answers the problem that docs/problems.md describes.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import problem_response

__all__ = ["AnnouncedSizeLimit", "WaitingLimit"]


class AnnouncedSizeLimit:
    """ASGI middleware: 413 when Content-Length is above the limit of the address."""

    def __init__(self, app: ASGIApp, limit: int, upload_limit: int, upload_paths: frozenset[str]) -> None:
        self.app = app
        self.limit = limit
        self.upload_limit = upload_limit
        self.upload_paths = upload_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 413."""
        if scope["type"] == "http":
            announced = dict(scope["headers"]).get(b"content-length", b"0")
            limit = self.upload_limit if scope["path"] in self.upload_paths else self.limit
            if announced.isdigit() and int(announced[:20]) > limit:
                response = problem_response("body-too-large", f"the body may have at most {limit} bytes; larger work goes to a job")
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


class WaitingLimit:
    """ASGI middleware: 503 with Retry-After while as many requests as `limit` are being answered.

    What waits holds memory; beyond some number everybody would wait for nothing. Streams of events cost nothing and do not count.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self.limit = limit
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 503."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith(("/v1/", "/translate/")) or path.endswith("/events"):
            await self.app(scope, receive, send)
            return
        if self._waiting >= self.limit:
            await problem_response("overloaded", f"{self.limit} requests are being answered")(scope, receive, send)
            return
        self._waiting += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._waiting -= 1
