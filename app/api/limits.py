"""Refusing bodies by their announced size, before a byte is read.

Starlette's own limit, which stops bodies that lie about their size or announce none, answers plain
text in this case; ours answers the problem that docs/problems.md describes.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import problem_response

__all__ = ["AnnouncedSizeLimit"]


class AnnouncedSizeLimit:
    """ASGI middleware: 413 when Content-Length is above the limit of the address."""

    def __init__(self, app: ASGIApp, limit: int, upload_limit: int, upload_path: str) -> None:
        self.app = app
        self.limit = limit
        self.upload_limit = upload_limit
        self.upload_path = upload_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 413."""
        if scope["type"] == "http":
            announced = dict(scope["headers"]).get(b"content-length", b"0")
            limit = self.upload_limit if scope["path"] == self.upload_path else self.limit
            if announced.isdigit() and int(announced[:20]) > limit:
                response = problem_response("body-too-large", f"the body may have at most {limit} bytes; larger work goes to a job")
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)
