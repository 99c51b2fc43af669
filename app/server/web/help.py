"""The documentation under /help: the site from `make docs`, or a list of its pages without a site."""

from pathlib import Path
from typing import Final

from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.settings import ROOT

__all__ = ["HELP", "HelpSite"]

# `make docs` and the Dockerfile build the site into this folder.
HELP: Final = ROOT / "build" / "help"
ABSENCE: Final = "The documentation is not built on this server. Run `make docs` in Assay's folder, or read these files there:\n\n"


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
        pages = sorted(page.relative_to(self.docs.parent).as_posix() for page in self.docs.rglob("*.md"))
        return PlainTextResponse(ABSENCE + "".join(f"{page}\n" for page in pages), headers={"Cache-Control": "no-store"})

    async def check_config(self) -> None:
        """Accept a folder that appears later."""
