"""Entity tags: an answer that a caller has already is not sent again."""

import hashlib
import json
from typing import Any

from fastapi import Request
from fastapi.responses import Response

__all__ = ["matches", "tagged"]


def matches(request: Request, tag: str) -> bool:
    """Return True if the caller has the answer with this tag."""
    tags = {entity_tag.strip().removeprefix("W/") for entity_tag in request.headers.get("if-none-match", "").split(",")}
    return tag in tags or "*" in tags


def tagged(request: Request, content: Any) -> Response:
    """JSON with a tag of its content; status 304 if the caller has it already."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if matches(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, "application/json")
