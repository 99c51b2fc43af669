"""Systems for a server: packed into one folder without outside references, mapped, and shared by all requests."""

from app.smt.decoder.serving.packing import pack_system
from app.smt.decoder.serving.served_system import CARD, ServedHypothesis, ServedSystem, ServedTranslation, SystemCard

__all__ = ["CARD", "ServedHypothesis", "ServedSystem", "ServedTranslation", "SystemCard", "pack_system"]
