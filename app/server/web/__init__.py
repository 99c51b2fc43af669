"""The browser's pages: rendered here, enlivened by one ES module, with nothing from outside."""

from app.server.web.pages import install_pages

__all__ = ["install_pages"]
