"""Routers of the wing's pages."""

from typing import Final

from app.smt.pages import tuning

__all__ = ["ATTACHED"]

ATTACHED: Final = (tuning.router,)
