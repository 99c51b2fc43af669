"""The engine: it owns loaded resources and models, and knows neither HTTP nor SQL."""

from app.engine.engine import Engine
from app.engine.warming import load_engine

__all__ = ["Engine", "load_engine"]
