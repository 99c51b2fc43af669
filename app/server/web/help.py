"""The documentation under /help: the site from `make docs`, or a list of its pages without a site."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.server.web.rendering import page
from app.settings import ROOT

__all__ = ["HELP", "HelpSite"]

# `make docs` and the Dockerfile build the site into this folder.
HELP: Final = ROOT / "build" / "help"


class HelpSite(StaticFiles):
    """Files of the built site; a list of the Markdown pages in `docs` while the site is absent."""

    def __init__(self, site: Path, docs: Path) -> None:
        super().__init__(directory=site, html=True, check_dir=False)
        self.site = site
        self.docs = docs

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of the site."""
        if (self.site / "index.html").is_file():
            return await super().get_response(path, scope)
        names = sorted(file.relative_to(self.docs.parent).as_posix() for file in self.docs.rglob("*.md"))
        return page(Request(scope), "help.html", files=names)

    async def check_config(self) -> None:
        """Accept a folder that appears later."""
