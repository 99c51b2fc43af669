"""The application, whose OpenAPI document names what all calls have in common once."""

from types import MappingProxyType
from typing import Any, Final

from fastapi import FastAPI

__all__ = ["PROBLEM_REFERENCE", "DocumentedApp"]

PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "title": "Problem",
    "description": "What went wrong, as RFC 9457 has it",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "where": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
# One class for generators of clients, which would make one of each status of each call otherwise.
PROBLEM_REFERENCE: Final = MappingProxyType({"$ref": "#/components/schemas/Problem"})


class DocumentedApp(FastAPI):
    """FastAPI, whose document has `Problem` among its components."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, made once."""
        document = super().openapi()
        document.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
        return document
