"""The one object that owns what is loaded and does the work; it knows no HTTP and no SQL."""

from app.engine.engine import Engine
from app.engine.warming import load_engine

__all__ = ["Engine", "load_engine"]
