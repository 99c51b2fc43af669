"""The browser's pages, rendered on the server with one ES module, without content from other hosts."""

from app.server.web.pages import install_pages

__all__ = ["install_pages"]
