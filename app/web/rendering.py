"""Templates into pages."""

from pathlib import Path
from typing import Final

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import __version__

__all__ = ["page"]

TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(name: str, **values: object) -> HTMLResponse:
    """The template called `name`, filled in."""
    return HTMLResponse(TEMPLATES.get_template(name).render(version=__version__, **values))
