"""Loaded phrase-based systems, and the side information that they produce."""

from app.engine import Engine
from app.smt.systems.evidence import LIST_LENGTH, Systems

__all__ = ["LIST_LENGTH", "Systems", "loaded_systems"]


def loaded_systems(engine: Engine) -> Systems:
    """The engine's translation systems, with the wing's own methods."""
    assert isinstance(engine.systems, Systems), "the wing attaches its systems to every engine"
    return engine.systems
