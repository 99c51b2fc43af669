"""Ids and content types in the OpenAPI document, and the methods that an address accepts."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match

from app.documents import FILE_FORMATS

__all__ = ["RESULT_CONTENT", "allowed_methods", "operation_id"]

TABLE: Final = "text/tab-separated-values"
# The forms of a result, and those of the files that scores are written into. Text comes first: generators that support one form
# of an answer take the first that they can read. All other forms can be read as text, while a table is no JSON.
RESULT_CONTENT: Final[dict[str, Any]] = {
    **{
        media_type: {"schema": {"type": "string"}}
        for media_type in sorted(
            {TABLE, *(form.media_type for form in FILE_FORMATS.values())}, key=lambda name: (name != TABLE, name)
        )
    },
    "application/json": {"schema": {"type": "object"}},
}


def operation_id(route: APIRoute) -> str:
    """Return the id of a route in the OpenAPI document: the name of its function in camel case, as ``getJob`` of ``get_job``."""
    verb, *nouns = route.name.split("_")
    return verb + "".join(map(str.capitalize, nouns))


def allowed_methods(routes: Iterable[BaseRoute], scope: Any) -> str:
    """The value of `Allow` for an address: the methods of all of its routes; empty where it has none."""
    return ", ".join(sorted(set(_methods(routes, scope))))


def _methods(routes: Iterable[BaseRoute], scope: Any) -> Iterator[str]:
    for route in routes:
        if route.matches(dict(scope))[0] is Match.NONE:
            continue
        # FastAPI keeps a router that was included as one route.
        included_router = getattr(route, "original_router", None)
        yield from _methods(included_router.routes, scope) if included_router is not None else getattr(route, "methods", None) or ()
