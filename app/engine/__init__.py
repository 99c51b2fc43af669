"""The one object that owns what is loaded and does the work; it knows no HTTP and no SQL."""

from app.engine.engine import Engine

__all__ = ["Engine"]
